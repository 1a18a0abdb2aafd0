// SPDX-License-Identifier: Apache-2.0
// Which of the noted loops is the step, and what the loops around it are.
#include "core/steps/finders/finders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(NestSteps, BatchesThatShareAnOptimizerStepAreOneStep) {
  NestMaker run;
  run.loop(10, 24, [&](int i) { i % 4 == 3 ? run.train() : run.train_ops(); });
  const Steps steps = found(run);
  EXPECT_EQ(steps.list.size(), 6U);
  EXPECT_THAT(steps.how, HasSubstr("6 steps"));
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

}  // namespace
}  // namespace stepscope
