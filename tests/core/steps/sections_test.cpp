// SPDX-License-Identifier: Apache-2.0
#include "core/steps/sections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/steps/found.hpp"
#include "tests/core/steps/nest_maker.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

void train(LoopMaker& loop, int steps, const std::string& net = "net", int layers = 3) {
  for (int i = 0; i < steps; ++i) loop.train_ops(net, layers), loop.optimizer(), loop.zero_grad();
}

void evaluate(LoopMaker& loop, int batches, int ops = 6) {
  for (int i = 0; i < batches; ++i) {
    loop.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               [&] { loop.now += 300; });
    for (int op = 0; op < ops; ++op) loop.op("aten::eval_" + std::to_string(op % 3));
  }
}

std::int64_t sum_of(const Steps& steps) {
  std::int64_t sum = steps.outside_sections_ns();
  for (const Section& section : steps.sections) sum += section.divisions.front().host.length();
  return sum;
}

TEST(Sections, TrainingThenAnEvaluationAreTwo) {
  LoopMaker loop;
  train(loop, 20);
  evaluate(loop, 12);
  const Steps steps = found(loop);
  ASSERT_EQ(steps.sections.size(), 2U);
  EXPECT_EQ(steps.sections[0].kind, "training");
  EXPECT_EQ(steps.sections[0].divisions[0].steps, 20U);
  EXPECT_EQ(steps.sections[1].kind, "no backward pass");
  EXPECT_EQ(steps.sections[1].divisions[0].steps, 12U);
  EXPECT_EQ(steps.list.size(), 20U);
}

TEST(Sections, TheirTimesAndTheRestSumToWhatWasRecorded) {
  for (const int batches : {0, 6, 40}) {
    LoopMaker loop;
    loop.op("aten::init", 100'000);
    evaluate(loop, batches);
    loop.op("aten::build", 40'000);
    train(loop, 15);
    evaluate(loop, batches, 9);
    const Steps steps = found(loop);
    EXPECT_EQ(sum_of(steps), steps.recorded.length()) << batches;
  }
}

// Tables are made one after the other, and a library loads before the last.
TEST(Sections, RepeatsOfWhichOneHoldsNearlyAllOfTheTimeAreNone) {
  const auto sections_of = [](std::int64_t load) {
    LoopMaker loop;
    train(loop, 20);
    for (int table = 0; table < 30; ++table) {
      for (const char* name : {"aten::mm", "aten::relu", "aten::mul", "aten::_local_scalar_dense"})
        loop.op(name, 10'000);
      if (table == 28) loop.now += load;
    }
    return found(loop).sections.size();
  };
  EXPECT_EQ(sections_of(0), 2U);
  EXPECT_EQ(sections_of(90'000'000), 1U);
}

// Episodes are played before each training. Those of the first update come before the first step.
TEST(Sections, ALoopBeforeTheStepsEndsWhereTheyBegin) {
  NestMaker run;
  run.loop(10, 3, [&](int) {
    run.loop(20, 30, [&](int) {
      for (const char* name : {"aten::mm", "aten::relu", "aten::mul", "aten::_local_scalar_dense"})
        run.op(name, 10'000);
    });
    run.loop(30, 8, [&](int) { run.train(); });
  });
  const Steps steps = found(run);
  ASSERT_EQ(steps.sections.size(), 2U);
  EXPECT_EQ(steps.sections[0].kind, "training");
  EXPECT_EQ(steps.sections[0].divisions[0].steps, 24U);
  EXPECT_EQ(steps.sections[1].kind, "no backward pass");
  EXPECT_EQ(steps.sections[1].divisions[0].steps, 30U);
  EXPECT_LE(steps.sections[1].divisions[0].host.end, steps.sections[0].divisions[0].host.begin);
}

TEST(Sections, TheChosenOneIsDivided) {
  LoopMaker loop;
  train(loop, 20);
  evaluate(loop, 12);
  const Trace trace = loop.build();
  const Steps steps = found(trace, {.section = SectionChoice{1, 0}});
  EXPECT_EQ(steps.list.size(), 12U);
  EXPECT_EQ(steps.found_by, FoundBy::data_loader);
  EXPECT_GE(steps.list.front().window.begin, found(trace).list.back().host.end);
}

TEST(Sections, ALoopThatTrainsGoesBeforeOneUpToTwiceAsLong) {
  for (const auto& [batches, kind] :
       {std::pair{30, "training"}, std::pair{200, "no backward pass"}}) {
    LoopMaker loop;
    train(loop, 15);
    evaluate(loop, batches);
    EXPECT_EQ(found(loop).sections.front().kind, kind) << batches;
  }
}

// XLA tries kernels for most of a run, the training that follows is short.
TEST(Sections, ALoopThatCompilesToItsEndIsBehindAllOthers) {
  LoopMaker loop;
  for (int i = 0; i < 100; ++i) {
    loop.range("XlaAutotunerMeasurement", [&] { loop.now += 30'000; });
    for (int op = 0; op < 20; ++op) loop.op("aten::try_" + std::to_string(op));
  }
  for (int i = 0; i < 20; ++i)
    for (int op = 0; op < 8; ++op) loop.op("aten::run_" + std::to_string(op));
  const Steps steps = found(loop);
  ASSERT_EQ(steps.sections.size(), 2U);
  EXPECT_EQ(steps.sections[0].divisions[0].steps, 20U);
}

TEST(Sections, ALoopThatCompilesInItsFirstStepsIsNoStartUp) {
  LoopMaker loop;
  for (int i = 0; i < 40; ++i) {
    if (i < 2) loop.range("XlaCompile", [&] { loop.now += 900'000; });
    for (int op = 0; op < 8; ++op) loop.op("aten::run_" + std::to_string(op));
  }
  for (int i = 0; i < 12; ++i)
    for (int op = 0; op < 6; ++op) loop.op("aten::predict_" + std::to_string(op));
  const Steps steps = found(loop);
  ASSERT_EQ(steps.sections.size(), 2U);
  EXPECT_EQ(steps.sections[0].divisions[0].steps, 40U);
}

TEST(Sections, WhatCompilesMakesNoLoopTheFirst) {
  for (const auto& [range, kind] :
       {std::pair{"prepare", "training"}, std::pair{"compile_fx", "no backward pass"}}) {
    LoopMaker loop;
    for (int step = 0; step < 15; ++step) {
      loop.make.range(HostKind::user_scope, range, 1, loop.now, loop.now + 200'000);
      loop.now += 200'000;
      train(loop, 1);
    }
    evaluate(loop, 200);
    EXPECT_EQ(found(loop).sections.front().kind, kind) << range;
  }
}

TEST(Sections, AnEvaluationNowAndThenIsNoSection) {
  LoopMaker loop;
  for (int epoch = 0; epoch < 4; ++epoch) train(loop, 10), evaluate(loop, 8);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.sections.size(), 1U);
  EXPECT_EQ(steps.list.size(), 40U);
}

TEST(Sections, ARunWithoutALoopHasNone) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) loop.op("aten::once_" + std::to_string(i));
  const Steps steps = found(loop);
  EXPECT_TRUE(steps.sections.empty());
  EXPECT_EQ(steps.outside_sections_ns(), steps.recorded.length());
}

TEST(Sections, OneThatIsNotThereIsAUsageErrorThatListsThem) {
  LoopMaker loop;
  train(loop, 20);
  const Result<Steps> steps = find_steps(loop.build(), {.section = SectionChoice{4, 0}});
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.error().code, ErrorCode::usage);
  EXPECT_THAT(steps.error().message,
              HasSubstr("--section 5: there is none; this run has 1 (training, 20"));
}

TEST(Sections, AMarkerExcludesThem) {
  LoopMaker loop;
  train(loop, 20);
  const Result<Steps> steps =
      find_steps(loop.build(), {.marker_regex = "Adam", .section = SectionChoice{}});
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.error().code, ErrorCode::usage);
}

TEST(Sections, TokensOfAGenerationAreAnotherDivision) {
  LoopMaker loop;
  for (int call = 0; call < 8; ++call) {
    loop.op("aten::prompt", 3'000);
    for (int token = 0; token < 16; ++token)
      for (int op = 0; op < 8; ++op) loop.op("aten::layer_" + std::to_string(op));
    loop.op("aten::tolist", 3'000);
  }
  const Trace trace = loop.build();
  const Steps steps = found(trace);
  ASSERT_EQ(steps.sections.size(), 1U);
  std::vector<std::uint64_t> counts;
  for (std::size_t d = 0; d < steps.sections[0].divisions.size(); ++d) {
    counts.push_back(steps.sections[0].divisions[d].steps);
    EXPECT_EQ(found(trace, {.section = SectionChoice{0, d}}).list.size(), counts.back());
  }
  std::sort(counts.begin(), counts.end());
  EXPECT_THAT(counts, ::testing::Contains(8U));
  EXPECT_GT(counts.back(), 100U);
}

TEST(Sections, NamesAreReadBack) {
  for (const SectionChoice choice : {SectionChoice{0, 0}, SectionChoice{3, 2}}) {
    const Result<SectionChoice> read = parse_section(name_of(choice));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->section, choice.section);
    EXPECT_EQ(read->division, choice.division);
  }
  for (const char* bad : {"", "0", "1.", "1.0", "x", "1x2", "-1", "1.2.3"})
    EXPECT_FALSE(parse_section(bad).ok()) << bad;
}

TEST(Tail, AnEvaluationAtTheEndOfEachEpochIsTheLastStepsToo) {
  for (const bool at_the_end : {true, false}) {
    LoopMaker loop;
    for (int epoch = 0; epoch < 3; ++epoch) {
      train(loop, 10);
      if (epoch < 2 || at_the_end) loop.eval_ops(20);
    }
    const std::int64_t end = loop.now;
    loop.op("aten::save", 50'000);
    const Steps steps = found(loop);
    EXPECT_EQ(steps.list.size(), 30U);
    const std::int64_t last = steps.list.back().host.end;
    if (at_the_end) {
      EXPECT_NEAR(static_cast<double>(last), static_cast<double>(end), 3'000);
    }
    EXPECT_LE(last, end);
  }
}

TEST(Tail, AnEvaluationThatIsNotDueIsNotTheLastSteps) {
  LoopMaker loop;
  for (int i = 0; i < 25; ++i) {
    train(loop, 1);
    if (i % 10 == 9) loop.eval_ops(20);
  }
  const std::int64_t trained = loop.now;
  loop.eval_ops(20);
  EXPECT_LE(found(loop).list.back().host.end, trained);
}

}  // namespace
}  // namespace stepscope
