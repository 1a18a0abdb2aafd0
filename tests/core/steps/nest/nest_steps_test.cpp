// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/finders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/steps/found.hpp"
#include "tests/core/steps/nest_maker.hpp"

namespace stepscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NestSteps, TheInnermostLoopThatHoldsEachOptimizer) {
  NestMaker run;
  run.loop(10, 4, [&](int) {
    run.loop(12, 6, [&](int) {
      run.loop(14, 2, [&](int) { run.train("D", 16); });
      run.train("G", 20);
    });
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.found_by, FoundBy::loop_nest);
  EXPECT_EQ(steps.list.size(), 24U);
  EXPECT_EQ(steps.how, "24 iterations of the loop at train.py:12 (f)");
  ASSERT_EQ(steps.sections.size(), 1U);
  std::vector<std::uint64_t> counts;
  for (const Division& division : steps.sections[0].divisions) counts.push_back(division.steps);
  EXPECT_THAT(counts, ElementsAre(24U, 4U, 48U));
}

TEST(NestSteps, ALoopThatAPackageRunsSaysHowItsLinesAreRecorded) {
  const auto notes_of = [](const std::string& loop, const std::string& records) {
    NestMaker run;
    run.file = loop;
    run.loop(10, 8, [&](int) { run.file = records, run.train(); });
    return found(run).notes;
  };
  const std::string trainer = "/venv/lib/python3.11/site-packages/transformers/trainer.py";
  const std::string own = "/home/me/train.py";
  EXPECT_THAT(notes_of(trainer, own),
              ElementsAre(HasSubstr("'stepscope profile --lines-in transformers'")));
  EXPECT_THAT(notes_of(trainer, trainer), ElementsAre()) << "the lines are there";
  EXPECT_THAT(notes_of(own, own), ElementsAre());
}

TEST(NestSteps, AnIterationOfWhichTheOptimizerStepsOnceInSeveralIsAPartOfAStep) {
  NestMaker run;
  run.loop(10, 16, [&](int i) {
    run.train_ops("net");
    if (i % 2 == 1) run.train();
  });
  EXPECT_THAT(found(run).how,
              HasSubstr("the optimizer steps once in several of them, so they are 8 steps"));
}

TEST(NestSteps, TwoLoopsWithTheSameLinesAreOne) {
  NestMaker run;
  run.loop(30, 5, [&](int) { run.train("D", 16), run.train("G", 20); });
  run.loop(32, 15, [&](int) { run.train("D", 16), run.train("G", 20); });
  const Steps steps = found(run);
  EXPECT_EQ(steps.list.size(), 20U);
  EXPECT_THAT(steps.how, HasSubstr("train.py:32")) << "it comes round most often";
}

TEST(NestSteps, ALoopThatIsCalledFromTwoLinesIsTwo) {
  NestMaker run;
  run.loop(10, 3, [&](int) {
    run.loop(
        4, 8, [&](int) { run.train(); }, 11, true);
    run.loop(
        4, 5, [&](int) { run.leave(), run.eval_ops(1); }, 12, true);
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.list.size(), 24U);
  EXPECT_EQ(steps.how, "24 iterations of the loop at train.py:4 (f)");
}

// What the last item of an enumerate frees may make a record behind the count of the next one.
TEST(NestSteps, AnIterationThatIsCountedEarlyIsOne) {
  const auto steps_of = [](bool counts_early) {
    NestMaker run;
    run.counts_early = counts_early;
    run.loop(
        10, 12, [&](int) { run.train(); }, 0, true);
    return found(run);
  };
  const Steps steps = steps_of(true), plain = steps_of(false);
  ASSERT_EQ(steps.list.size(), 12U);
  EXPECT_EQ(steps.how, plain.how);
  for (std::size_t i = 1; i < steps.list.size(); ++i)
    EXPECT_EQ(steps.list[i].window.begin, steps.list[i - 1].window.end);
  EXPECT_EQ(steps.list[1].window.length(), steps.list[2].window.length());
}

TEST(NestSteps, TheLoopsEndIsInNoStep) {
  NestMaker run;
  run.loop(
      10, 8, [&](int) { run.train(); }, 0, true);
  const std::int64_t end = run.now;
  run.op("aten::save", 1'000'000);
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 8U);
  EXPECT_LT(steps.list.back().window.end, end - 1'000);
}

// Python's work behind an iteration's last record lies in the window of the next step. The last
// iteration has no next one, so its work there lies in no window, whatever samples show of it.
TEST(NestSteps, TheLastStepEndsWithItsLastRecordAsAllOthersDo) {
  NestMaker run;
  const std::int64_t pause = 20'000'000;
  run.loop(10, 12, [&](int) {
    run.train();
    run.sample(60, run.now + pause / 2);
    run.now += pause;
  });
  run.now += pause;
  run.sample(90, run.now);
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 12U);
  EXPECT_EQ(steps.list.back().window.length(), steps.list[5].window.length());
}

TEST(NestSteps, WhatAnEpochDoesBehindItsLastBatchIsThatStepsAlsoInTheLastEpoch) {
  NestMaker run;
  std::vector<std::int64_t> ends;
  run.loop(10, 3, [&](int) {
    run.loop(
        12, 5, [&](int) { run.train(); }, 0, true);
    run.leave();
    run.op("aten::evaluate", 70'000);
    ends.push_back(run.now);
  });
  run.leave();
  run.op("aten::save", 1'000'000);
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 15U);
  for (std::size_t epoch = 0; epoch < 3; ++epoch)
    EXPECT_EQ(steps.list[5 * epoch + 4].host.end, ends[epoch]);
}

TEST(NestSteps, SetUpIsInNone) {
  NestMaker run;
  run.loop(3, 200, [&](int) { run.op("aten::sort", 5'000); });
  run.loop(10, 8, [&](int) { run.train(); });
  EXPECT_EQ(found(run).list.size(), 8U);
}

TEST(NestSteps, AStepEndsWhereItsLoopComesRound) {
  NestMaker run;
  std::vector<std::int64_t> ends;
  run.loop(10, 6, [&](int) {
    run.train();
    run.op("aten::item", 50'000);
    ends.push_back(run.now);
  });
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 6U);
  for (std::size_t i = 0; i < ends.size(); ++i) EXPECT_EQ(steps.list[i].host.end, ends[i]);
}

TEST(NestSteps, BatchesThatShareAnOptimizerStepAreOneStep) {
  NestMaker run;
  run.loop(10, 24, [&](int i) { i % 4 == 3 ? run.train() : run.train_ops(); });
  const Steps steps = found(run);
  EXPECT_EQ(steps.list.size(), 6U);
  EXPECT_THAT(steps.how, HasSubstr("6 steps"));
}

TEST(NestSteps, AnIterationThatSkipsItsOptimizerIsAStep) {
  NestMaker run;
  run.loop(10, 12, [&](int i) { i == 5 ? run.train_ops() : run.train(); });
  EXPECT_EQ(found(run).list.size(), 12U);
}

TEST(NestSteps, AnEnsembleSharesItsBatch) {
  NestMaker run;
  run.loop(
      10, 8, [&](int) { run.loop(12, 3, [&](int) { run.train(); }); }, 0, true);
  EXPECT_EQ(found(run).list.size(), 8U);
}

// `for opt, loss in (critic, generator)`: one line steps both. What parts them is what each runs.
TEST(NestSteps, UpdatesThatALoopRunsInTurnsByLinesOfTheirOwnAreOneStep) {
  const auto steps_of = [](std::uint32_t second_line, bool fetches) {
    NestMaker run;
    run.loop(10, 12, [&](int) {
      run.loop(12, 2, [&](int k) {
        if (fetches) run.fetch();
        run.op_at("aten::linear", k == 0 ? 30 : second_line);
        run.train("net", 16);
      });
    });
    return found(run).list.size();
  };
  EXPECT_EQ(steps_of(40, false), 12U);
  EXPECT_EQ(steps_of(30, false), 24U) << "members of a population, by the same lines";
  EXPECT_EQ(steps_of(40, true), 24U) << "batches";
}

TEST(NestSteps, BackwardPassesServeWhereThereIsNoOptimizer) {
  NestMaker run;
  run.loop(10, 3, [&](int) { run.loop(11, 7, [&](int) { run.train_ops(); }); });
  EXPECT_EQ(found(run).list.size(), 21U);
}

// Gradients of four parts of a batch add up, and the outer loop takes them: p -= lr * p.grad.
TEST(NestSteps, WithoutAnOptimizerALoopThatUsesTheGradientsOfOneInsideIsTheStep) {
  const auto steps_of = [](const char* inside, const char* behind) {
    NestMaker run;
    run.loop(10, 8, [&](int) {
      run.loop(12, 4, [&](int) { run.train_ops(), run.op(inside); });
      run.leave(), run.op(behind);
    });
    return found(run);
  };
  const Steps steps = steps_of("aten::item", "aten::sub_");
  EXPECT_EQ(steps.list.size(), 8U);
  EXPECT_THAT(steps.how, HasSubstr("train.py:10"));
  EXPECT_EQ(steps_of("aten::sub_", "aten::sub_").list.size(), 32U) << "each uses its own";
  EXPECT_EQ(steps_of("aten::item", "aten::item").list.size(), 32U) << "nothing uses them";
}

// A generator is left at each yield, and its loops go on where they were.
TEST(NestSteps, LoopsOfAGeneratorHaveAnIterationForSeveralResumptions) {
  NestMaker run;
  for (int i = 0; i < 24; ++i) {
    run.resume(10, i / 4 + 1), run.resume(12, i % 4 + 1);
    run.train();
    run.leave_all();
  }
  const Steps steps = found(run);
  EXPECT_EQ(steps.list.size(), 24U);
  ASSERT_EQ(steps.sections.at(0).divisions.size(), 2U);
  EXPECT_EQ(steps.sections[0].divisions[1].steps, 6U);
}

TEST(NestSteps, ALoopAroundSaysHowManyStepsItHoldsAndHowMuchElse) {
  const auto around = [](bool is_even) {
    NestMaker run;
    run.loop(10, 6, [&](int it) {
      run.op("aten::rollout", 100'000);
      run.loop(12, is_even ? 4 : it + 1, [&](int) { run.train(); });
    });
    const Steps steps = found(run);
    return steps.sections.at(0).divisions.at(1);
  };
  const Division loop = around(true);
  EXPECT_EQ(loop.loop, "train.py:10 (f)");
  EXPECT_EQ(loop.steps_each, 4);
  EXPECT_GT(loop.own_share, 0.5);
  EXPECT_LT(loop.own_share, 0.9);
  EXPECT_TRUE(loop.is_around);
  EXPECT_EQ(around(false).steps_each, 0) << "another number in each iteration";
}

TEST(NestSteps, AVisitInWhichNothingTrainsBelongsToTheStepBefore) {
  NestMaker run;
  run.loop(10, 3, [&](int) {
    run.loop(11, 2, [&](int split) {
      run.loop(12, split == 0 ? 6 : 4, [&](int) {
        if (split == 0)
          run.train();
        else
          run.op("aten::test", 200'000);
      });
    });
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.list.size(), 18U);
  EXPECT_THAT(steps.how, HasSubstr("12 more, in which nothing trains"));
  EXPECT_GE(steps.list[5].window.length(), 4 * 200'000);
}

TEST(NestSteps, StepsOfALoopThatWasNotNotedAreFoundByTheirOptimizer) {
  NestMaker run;
  run.loop(10, 3, [&](int) {
    for (int batch = 0; batch < 20; ++batch) run.train();
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.found_by, FoundBy::optimizer);
  EXPECT_EQ(steps.list.size(), 60U);
}

// `for stage in (pretrain, finetune): stage()`: two loops as if one stood behind the other.
TEST(NestSteps, StagesThatALoopRunsOneAfterTheOtherAreSections) {
  NestMaker run;
  run.loop(10, 2, [&](int stage) {
    if (stage == 0)
      run.loop(12, 15, [&](int) { run.train("first", 14); });
    else
      run.loop(16, 8, [&](int) { run.op("aten::more", 900'000), run.train("second", 18); });
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.how, "8 iterations of the loop at train.py:16 (f)");
  ASSERT_EQ(steps.sections.size(), 2U);
  EXPECT_EQ(steps.sections[0].divisions.at(0).steps + steps.sections[1].divisions.at(0).steps, 23U);
}

TEST(NestSteps, EpochsThatTrainInTurnsHoldStepsOfBoth) {
  NestMaker run;
  run.loop(10, 6, [&](int epoch) {
    if (epoch % 2 == 0)
      run.loop(12, 5, [&](int) { run.train("D", 14); });
    else
      run.loop(16, 5, [&](int) { run.train("G", 18); });
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.found_by, FoundBy::loop_nest);
  EXPECT_EQ(steps.list.size(), 30U);
}

TEST(NestSteps, ABackwardPassOfManyNodesIsNoLoop) {
  NestMaker run;
  run.loop(10, 8, [&](int) { run.train_ops("net", 9); });
  const Steps steps = found(run);
  EXPECT_EQ(steps.found_by, FoundBy::loop_nest);
  EXPECT_EQ(steps.list.size(), 8U);
}

TEST(NestSteps, OptimizersThatHooksOfGradientsStepShareTheirPass) {
  NestMaker run;
  run.loop(10, 8, [&](int) {
    run.train_ops("net", 3);
    for (int parameter = 0; parameter < 6; ++parameter)
      run.range(
          "torch::autograd::AccumulateGrad", [&] { run.now += 10, run.optimizer(), run.now += 10; },
          HostKind::backward_node);
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.found_by, FoundBy::loop_nest);
  EXPECT_EQ(steps.list.size(), 8U);
}

TEST(NestSteps, FetchesServeWhereNothingTrains) {
  NestMaker run;
  run.loop(10, 3, [&](int) {
    run.loop(
        12, 7, [&](int) { run.leave(), run.eval_ops(1); }, 0, true);
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.how, "21 iterations of the loop at train.py:12 (f)");
  EXPECT_EQ(steps.sections.front().kind, "loop");
}

// Calls of a model of twenty layers, whose loop is noted as well; and layers alone.
TEST(NestSteps, WhereNothingTrainsTheLoopOfThePeriodServes) {
  for (const bool outer_is_noted : {true, false}) {
    NestMaker run;
    const auto call = [&] {
      run.op("aten::embedding");
      run.loop(20, 20, [&](int) {
        for (const char* name : {"aten::mm", "aten::relu", "aten::mul"}) run.op(name);
      });
      run.leave();
      run.op("aten::mean"), run.op("aten::_local_scalar_dense");
    };
    if (outer_is_noted)
      run.loop(10, 12, [&](int) { call(); });
    else
      for (int i = 0; i < 12; ++i) call();
    const Steps steps = found(run);
    EXPECT_EQ(steps.list.size(), 12U) << outer_is_noted;
    EXPECT_EQ(steps.found_by == FoundBy::loop_nest, outer_is_noted);
    if (!outer_is_noted) continue;
    ASSERT_EQ(steps.sections.front().divisions.size(), 2U);
    EXPECT_EQ(steps.sections.front().divisions.back().steps, 240U);
  }
}

// A simulation of sixty substeps a frame, which ends with a few statistics at lines of its own in the
// same function, beside a loop that prints in every sixtieth iteration.
// Each of a few epochs prints a number, and nothing else marks a step: the copy of it makes them the period.
TEST(NestSteps, AFewRoundsAreDividedIntoTheIterationsThatHaveTheirWork) {
  NestMaker run;
  run.loop(10, 4, [&](int) {
    run.loop(12, 30, [&](int) {
      for (const char* op : {"aten::mm", "aten::relu", "aten::mul", "aten::sum"}) run.op(op);
    });
    run.leave(), run.op("aten::item");
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.list.size(), 120U);
  EXPECT_THAT(steps.how, HasSubstr("train.py:12"));
  const std::vector<Division>& divisions = steps.sections.at(0).divisions;
  EXPECT_TRUE(std::ranges::any_of(divisions, [](const Division& one) { return one.steps == 4; }));
}

TEST(NestSteps, AFrameOfSubstepsIsTheStepWhereALoopRunsFrames) {
  for (const bool has_frames : {true, false}) {
    NestMaker run;
    const SiteId substep = run.make.site("train.py", 11), end = run.make.site("train.py", 13);
    const auto op_at = [&](const char* name, SiteId site) {
      run.make.range(HostKind::op, name, 1, run.now, run.now + 1'000, site);
      run.now += 1'000;
    };
    const auto substeps = [&](int) {
      for (const char* name : {"aten::add", "aten::mul", "aten::roll"}) op_at(name, substep);
    };
    const auto statistics = [&] { op_at("aten::mean", end), op_at("aten::max", end); };
    if (has_frames) {
      run.loop(9, 20, [&](int) {
        run.loop(10, 60, substeps);
        run.leave();
        statistics();
      });
    } else {
      run.loop(10, 1200, [&](int i) {
        substeps(i);
        if (i % 60 == 59) statistics();
      });
    }
    EXPECT_EQ(found(run).list.size(), has_frames ? 20U : 1200U);
  }
}

// A `while` whose body asks the iterator, and begins it again where that ends (Ignite's engine).
TEST(NestSteps, AnIterationThatOnlyBeginsTheLoaderAgainIsNoStep) {
  NestMaker run;
  run.loop(10, 26, [&](int i) {
    run.fetch();
    if (i % 9 == 8)
      run.op("aten::random_");
    else
      run.train("critic", 20), run.train("generator", 30);
  });
  EXPECT_EQ(found(run).list.size(), 24U);
}

// `while True: try: batch = next(it) except StopIteration: break`, and an evaluation behind each epoch.
TEST(NestSteps, ARequestThatEndsItsLoopIsNoStepWhateverTheEpochDoesBehindIt) {
  NestMaker run;
  run.loop(8, 3, [&](int) {
    run.loop(10, 9, [&](int i) {
      run.fetch();
      if (i < 8) run.train();
    });
    run.leave(), run.eval_ops(5);
  });
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 24U);
  EXPECT_GT(steps.list[7].window.length(), 2 * steps.list[6].window.length()) << "the evaluation";
}

// A batch without a gradient step (an overflow, a loss that is not finite) is one all the same.
TEST(NestSteps, AnIterationThatComputesWithoutTrainingIsAStep) {
  NestMaker run;
  run.loop(10, 26, [&](int i) {
    run.fetch();
    if (i % 9 == 8)
      for (int k = 0; k < 6; ++k) run.op("aten::mm");
    else
      run.train();
  });
  EXPECT_EQ(found(run).list.size(), 26U);
}

// `functools.reduce(step, batches, state)` in each epoch, and updates that make new tensors.
TEST(NestSteps, BackwardPassesOfALoopThatWasNotNotedAreNotOneStepAnEpoch) {
  NestMaker run;
  run.loop(10, 4, [&](int) {
    for (int k = 0; k < 30; ++k) run.op("aten::copy"), run.train_ops(), run.backward("Loss_net");
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.found_by, FoundBy::periodicity);
  EXPECT_GE(steps.list.size(), 119U);
  EXPECT_LE(steps.list.size(), 121U);
}

// An interrupt, or an error, amid the last iteration.
TEST(NestSteps, AnIterationThatDidNotEndHasNoWallTime) {
  NestMaker run;
  run.loop(10, 12, [&](int i) {
    run.train("critic", 20);
    if (i < 11) run.train("generator", 30);
  });
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 12U);
  EXPECT_FALSE(steps.list.back().wall_known);
  EXPECT_TRUE(steps.list[10].wall_known);
}

// A GAN's first iteration, in which the program fails behind both updates.
TEST(NestSteps, OptimizersOfOneIterationThatDoesNotEndAreNoSteps) {
  NestMaker run;
  run.make.data.processes.back().facts["loop_positions"] = "noted";
  run.loop(10, 1, [&](int) { run.train("critic", 20), run.train("generator", 30); });
  EXPECT_EQ(found(run).found_by, FoundBy::whole_trace);
}

TEST(NestSteps, WithoutLoopsTheFindersServe) {
  LoopMaker run;
  for (int i = 0; i < 6; ++i) run.zero_grad(), run.train_ops(), run.optimizer();
  EXPECT_EQ(found(run).found_by, FoundBy::optimizer);
}

}  // namespace
}  // namespace stepscope
