// SPDX-License-Identifier: Apache-2.0
// Loops without any mark, found by what repeats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/steps/periodicity/repeats.hpp"
#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

void train_kernels(LoopMaker& loop, int layers = 6) {
  for (int i = 0; i < layers; ++i)
    loop.kernel("gemm", 3'000), loop.kernel("gelu", 1'000), loop.kernel("norm", 900);
  loop.kernel("loss", 800);
  for (int i = 0; i < layers; ++i)
    loop.kernel("gelu_backward", 1'200), loop.kernel("gemm_dgrad", 3'000),
        loop.kernel("gemm_wgrad", 3'000);
  loop.kernel("multi_tensor_adam", 5'000);
}

void forward_kernels(LoopMaker& loop, int layers = 6) {
  for (int i = 0; i < layers; ++i)
    loop.kernel("gemm", 3'000), loop.kernel("gelu", 1'000), loop.kernel("norm", 900);
}

TEST(Periodicity, CountsTheStepsOfATrainingLoop) {
  LoopMaker loop;
  for (int i = 0; i < 9; ++i) train_kernels(loop);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::periodicity);
  EXPECT_EQ(steps.list.size(), 9U);
  EXPECT_EQ(steps.how, "period of 38 launches, repeated 9 times, 100 % alike");
  EXPECT_EQ(steps.list[0].host.begin, LoopMaker::kStart);
}

TEST(Periodicity, NeedsThreeRepeats) {
  LoopMaker loop;
  for (int i = 0; i < 2; ++i) train_kernels(loop);
  EXPECT_EQ(found(loop).found_by, FoundBy::whole_trace);
}

TEST(Periodicity, FindsThreeRepeats) {
  LoopMaker loop;
  for (int i = 0; i < 3; ++i) train_kernels(loop);
  EXPECT_EQ(found(loop).list.size(), 3U);
}

TEST(Periodicity, AnEvaluationEveryFewStepsDoesNotChangeTheCount) {
  LoopMaker loop;
  for (int i = 0; i < 30; ++i) {
    train_kernels(loop);
    if (i % 5 == 4) forward_kernels(loop), loop.kernel("accuracy", 500);
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 30U);
  EXPECT_EQ(steps.steady_count(), 29U);
}

TEST(Periodicity, SmallVariationsDoNotMatter) {
  LoopMaker loop;
  for (int i = 0; i < 40; ++i) {
    if (i % 7 == 3) loop.kernel("rare_copy", 300);
    train_kernels(loop);
    if (i % 3 == 0) loop.kernel("log", 300);
    if (i % 11 == 5) loop.kernel("gemm_other_tile", 3'000);
  }
  EXPECT_NEAR(static_cast<double>(found(loop).list.size()), 40, 1);
}

TEST(Periodicity, GradientAccumulationIsOneStepAnOptimizer) {
  LoopMaker loop;
  for (int i = 0; i < 8; ++i) {
    for (int micro = 0; micro < 4; ++micro) {
      forward_kernels(loop, 3);
      for (int layer = 0; layer < 3; ++layer)
        loop.kernel("gemm_dgrad", 2'000), loop.kernel("gelu_backward", 900);
    }
    loop.kernel("multi_tensor_adam", 5'000);
  }
  EXPECT_EQ(found(loop).list.size(), 8U);
}

TEST(Periodicity, AnIncompleteLastStepHasNoWallTime) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) train_kernels(loop);
  forward_kernels(loop);
  loop.kernel("loss", 800);
  loop.kernel("gelu_backward", 1'200);
  const Steps steps = found(loop);
  ASSERT_EQ(steps.list.size(), 7U);
  EXPECT_FALSE(steps.list[6].wall_known);
  EXPECT_TRUE(steps.list[5].wall_known);
}

TEST(Periodicity, SettingUpIsNotAStep) {
  for (const int kernels : {5, 25, 100}) {
    LoopMaker loop;
    loop.kernel("multi_tensor_adam", 500);  // as if to warm up
    for (int i = 0; i < kernels; ++i) loop.kernel("init" + std::to_string(i), 500);
    const std::int64_t begin = loop.now;
    for (int i = 0; i < 12; ++i) train_kernels(loop);
    const Steps steps = found(loop);
    ASSERT_EQ(steps.list.size(), 12U) << kernels;
    EXPECT_EQ(steps.list[0].host.begin, begin) << kernels;
    EXPECT_EQ(steps.list[0].why_not_steady, "first step");
    EXPECT_TRUE(steps.list[1].steady);
  }
}

// Set-up, then a first iteration so unlike the others that the period begins behind it.
TEST(Periodicity, AFirstIterationThatDiffersIsAStep) {
  LoopMaker loop;
  for (int i = 0; i < 60; ++i) loop.kernel("init" + std::to_string(i), 500);
  const std::int64_t begin = loop.now;
  for (int layer = 0; layer < 6; ++layer)
    loop.kernel("gemm", 3'000), loop.kernel("tune_gelu", 1'000), loop.kernel("norm", 900);
  loop.kernel("loss", 800);
  for (int layer = 0; layer < 6; ++layer)
    loop.kernel("gelu_backward", 1'200), loop.kernel("tune_dgrad", 3'000),
        loop.kernel("gemm_wgrad", 3'000);
  loop.kernel("multi_tensor_adam", 5'000);
  for (int i = 0; i < 11; ++i) train_kernels(loop);
  const Steps steps = found(loop);
  ASSERT_EQ(steps.list.size(), 12U);
  EXPECT_EQ(steps.list[0].host.begin, begin);
  EXPECT_EQ(steps.list[0].why_not_steady, "first step");
}

// A C++ program: parameters are made, the first step has no gradients to clear, each tenth tells
// its loss.
TEST(Periodicity, AProgramWithoutMarksHasAsManyStepsAsItTakes) {
  LoopMaker loop;
  for (int i = 0; i < 8; ++i) loop.op("aten::empty"), loop.op("aten::uniform_");
  for (int i = 0; i < 30; ++i) loop.op(i % 2 == 0 ? "aten::view" : "aten::to");
  for (int i = 0; i < 50; ++i) {
    loop.op("aten::stack"), loop.op("aten::mean");
    for (int parameter = 0; parameter < 8 && i > 0; ++parameter) loop.op("aten::zero_");
    loop.train_ops();
    for (int parameter = 0; parameter < 8; ++parameter)
      loop.op("aten::mul_"), loop.op("aten::add_");
    if (i % 10 == 0) loop.op("aten::item");
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::periodicity);
  EXPECT_EQ(steps.list.size(), 50U);
}

TEST(Periodicity, InferenceWithCopiesIsToldFromItsLayers) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) {
    loop.copy(CopyKind::host_to_device, 2'000);
    loop.make.data.device_ops.name.back() =
        loop.make.data.strings.intern("Memcpy HtoD (Pinned -> Device)");
    forward_kernels(loop, 12);
    loop.kernel("softmax", 700);
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 20U);
}

// The first iteration's last kernel is another one, so units begin at the copy behind it.
TEST(Periodicity, AFirstIterationInFrontOfTheCopyThatUnitsBeginWithIsAStep) {
  LoopMaker loop;
  const auto copy = [&](CopyKind kind, const std::string& name) {
    loop.copy(kind, 2'000);
    loop.make.data.device_ops.name.back() = loop.make.data.strings.intern(name);
  };
  for (int i = 0; i < 60; ++i) copy(CopyKind::host_to_device, "Memcpy HtoD (Pageable -> Device)");
  for (int i = 0; i < 20; ++i) {
    loop.kernel("embed", 700);
    forward_kernels(loop, 12);
    loop.kernel(i == 0 ? "head_of_few_tokens" : "head", 900);
    copy(CopyKind::device_to_host, "Memcpy DtoH (Device -> Pinned)");
    loop.kernel("cat", 700);
  }
  EXPECT_EQ(found(loop).list.size(), 20U);
}

TEST(Periodicity, NestedLoopsWithoutAnyEvidenceSayThatTheyAreAmbiguous) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) {
    loop.kernel("embed", 700);
    forward_kernels(loop, 12);
    loop.kernel("head", 900);
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 20U);
  EXPECT_LT(steps.confidence, 0.7);
  ASSERT_FALSE(steps.notes.empty());
  EXPECT_THAT(steps.notes.front(), HasSubstr("several levels"));
  EXPECT_THAT(steps.notes.front(), HasSubstr("(taken)"));
}

void layers(LoopMaker& loop, int count = 12) {
  loop.op("aten::embedding");
  loop.kernel("embed", 700);
  for (int layer = 0; layer < count; ++layer)
    for (const char* part : {"norm", "qkv", "attention", "project", "gelu"}) loop.kernel(part, 900);
  loop.kernel("head", 900);
}

// A forward pass under the profiler: what repeats in it are the model's layers.
TEST(Periodicity, LayersInOneMarkedStepAreNoSteps) {
  for (const char* mark : {"ProfilerStep#6", "step[DECODE bs=32]"}) {
    LoopMaker loop;
    loop.range(mark, [&] { layers(loop); });
    const Steps steps = found(loop);
    EXPECT_EQ(steps.list.size(), 1U) << mark;
    EXPECT_NE(steps.found_by, FoundBy::periodicity);
    EXPECT_THAT(steps.notes, testing::Contains(HasSubstr("repeated 12 times")));
  }
}

TEST(Periodicity, LayersInOneRangeOfAnyNameClaimNoStep) {
  LoopMaker loop;
  loop.range("model_inference", [&] { layers(loop); });
  EXPECT_EQ(found(loop).found_by, FoundBy::whole_trace);
}

// A profiler of others was started around one forward pass, or around five.
TEST(Periodicity, LayersAmidOtherWorkClaimNoStep) {
  LoopMaker one, five;
  one.make.data.source = five.make.data.source = SourceKind::kineto;
  layers(one);
  const Steps steps = found(one);
  EXPECT_EQ(steps.found_by, FoundBy::whole_trace);
  EXPECT_THAT(steps.notes, testing::Contains(HasSubstr("repeated 12 times")));
  for (int pass = 0; pass < 5; ++pass) layers(five);
  EXPECT_EQ(found(five).found_by, FoundBy::periodicity);
}

TEST(Periodicity, WhatMayBeLayersIsSaidToBe) {
  LoopMaker loop;
  loop.make.data.source = SourceKind::stepscope;
  layers(loop);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::periodicity);
  EXPECT_TRUE(steps.may_be_parts);
  EXPECT_THAT(steps.notes, testing::Contains(HasSubstr("a layer of a model")));
  LoopMaker passes;
  for (int pass = 0; pass < 5; ++pass) layers(passes);
  const Steps of_passes = found(passes);
  EXPECT_THAT(of_passes.notes, testing::Contains(HasSubstr("several levels")));
  EXPECT_THAT(of_passes.notes, testing::Contains(HasSubstr("a layer of a model")));
}

TEST(Periodicity, MicroBatchesInOneMarkedStepAreNoSteps) {
  LoopMaker loop;
  loop.range("ProfilerStep#1", [&] {
    for (int i = 0; i < 4; ++i) {
      loop.op("aten::linear");
      for (const char* part : {"gemm_f", "norm_f", "norm_backward", "gemm_wgrad", "gemm_dgrad"})
        loop.kernel(part, 900);
    }
  });
  EXPECT_EQ(found(loop).list.size(), 1U);
}

// Batches that are copied to the device are steps, though the profiler marked them as one.
TEST(Periodicity, BatchesInOneMarkAreSteps) {
  LoopMaker loop;
  loop.range("ProfilerStep#0", [&] {
    for (int i = 0; i < 20; ++i) {
      loop.copy(CopyKind::host_to_device, 2'000);
      loop.make.data.device_ops.name.back() =
          loop.make.data.strings.intern("Memcpy HtoD (Pinned -> Device)");
      layers(loop, 2);
    }
  });
  EXPECT_EQ(found(loop).list.size(), 20U);
}

TEST(Periodicity, KernelsOfOneGraphLaunchAreNoSteps) {
  LoopMaker loop;
  loop.make.call("cudaGraphLaunch", 1, loop.now, loop.now + 1'000, 1);
  for (int i = 0; i < 12; ++i) {
    for (const char* part : {"norm", "qkv", "attention", "project", "gelu"}) {
      loop.now += 1'000;
      loop.make.kernel(part, 7, loop.now, loop.now + 900, 1);
    }
  }
  EXPECT_EQ(found(loop).found_by, FoundBy::whole_trace);
}

// Pages of managed memory that the driver moves while a kernel touches them.
TEST(Periodicity, MigrationsOfManagedMemoryAreNoSteps) {
  LoopMaker loop;
  loop.kernel("add", 1'000'000);
  for (int i = 0; i < 300; ++i)
    loop.make.copy(CopyKind::host_to_device, MemoryKind::managed, MemoryKind::managed, 0,
                   loop.now + i * 2'000, loop.now + i * 2'000 + 1'500, 0);
  EXPECT_EQ(found(loop).found_by, FoundBy::whole_trace);
}

TEST(Periodicity, ReadsOpsWhereThereIsNoDevice) {
  LoopMaker loop;
  for (int i = 0; i < 15; ++i) {
    loop.op("aten::zero_");
    loop.train_ops();
    for (int p = 0; p < 3; ++p) loop.op("aten::addcmul_"), loop.op("aten::addcdiv_");
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::periodicity);
  EXPECT_EQ(steps.list.size(), 15U);
  EXPECT_THAT(steps.how, HasSubstr("ops"));
}

SiteId site_of(LoopMaker& loop, std::uint32_t line, const char* function) {
  const StringId name = loop.make.data.strings.intern(function);
  const std::vector<Site>& sites = loop.make.data.sites;
  for (SiteId site = 0; site < sites.size(); ++site)
    if (sites[site].line == line && sites[site].function == name) return site;
  const SiteId site = loop.make.site("train.py", line);
  loop.make.data.sites[site].function = name;
  return site;
}

// At a line of `function`.
void op_at(LoopMaker& loop, const std::string& name, std::uint32_t line, const char* function) {
  const SiteId site = site_of(loop, line, function);
  loop.make.range(HostKind::op, name, 1, loop.now, loop.now + 1'000, site);
  loop.now += 1'000;
}

// What is around layers is in other functions than they are, though it be as little.
TEST(Periodicity, LayersOfAFunctionOfTheirOwnAreNoSteps) {
  LoopMaker loop;
  for (int i = 0; i < 12; ++i) {
    for (int layer = 0; layer < 20; ++layer)
      for (int k = 0; k < 6; ++k) op_at(loop, k % 2 ? "aten::mm" : "aten::relu", 5, "layer");
    op_at(loop, "aten::mean", 9, "main");
    op_at(loop, "aten::_local_scalar_dense", 9, "main");
  }
  EXPECT_EQ(found(loop).list.size(), 12U);
}

// model.to(device) of a program that ends before its loop, or has none.
TEST(Periodicity, RepeatsWithinAStatementThatNoLoopRunsAreNoSteps) {
  for (const bool noted : {false, true}) {
    LoopMaker loop;
    if (noted) loop.make.data.processes.back().facts["loop_positions"] = "noted";
    for (int parameter = 0; parameter < 37; ++parameter) {
      op_at(loop, "aten::_to_copy", 5, "main");
      op_at(loop, "aten::copy_", 5, "main");
    }
    const Steps steps = found(loop);
    EXPECT_EQ(steps.found_by, noted ? FoundBy::whole_trace : FoundBy::periodicity);
    if (noted) {
      EXPECT_THAT(steps.notes, testing::Contains(HasSubstr("statements that no loop")));
    }
  }
}

// Blocks that a function makes, called at several lines: its own lines come back.
TEST(Periodicity, BlocksOfASetUpAreNoStepsWhereLoopsAreNoted) {
  for (const bool noted : {false, true}) {
    LoopMaker loop;
    if (noted) loop.make.data.processes.back().facts["loop_positions"] = "noted";
    for (int layer = 0; layer < 20; ++layer) {
      op_at(loop, "aten::empty", 10, "block");
      op_at(loop, "aten::uniform_", 11, "block");
    }
    EXPECT_EQ(found(loop).found_by, noted ? FoundBy::whole_trace : FoundBy::periodicity);
  }
}

// map() calls a function of several lines: that loop is not noted.
TEST(Periodicity, RepeatsOfSeveralLinesThatNoLoopRunsAreSteps) {
  LoopMaker loop;
  loop.make.data.processes.back().facts["loop_positions"] = "noted";
  for (int step = 0; step < 20; ++step) {
    op_at(loop, "aten::mm", 5, "step");
    op_at(loop, "aten::relu", 6, "step");
    op_at(loop, "aten::_local_scalar_dense", 7, "step");
  }
  EXPECT_EQ(found(loop).list.size(), 20U);
}

TEST(Periodicity, ReadsNvtxPhasesWhereNothingElseIsRecorded) {
  LoopMaker loop;
  for (int i = 0; i < 10; ++i) {
    for (const char* phase : {"data", "forward", "loss", "backward", "optimizer"}) {
      loop.range(
          phase, [&] { loop.now += 1'000; }, HostKind::nvtx_range);
    }
  }
  EXPECT_EQ(found(loop).list.size(), 10U);
}

TEST(Periodicity, APrefetchStreamDoesNotDisturb) {
  LoopMaker loop;
  for (int i = 0; i < 12; ++i) {
    train_kernels(loop);
    for (int c = 0; c < 1 + (i * 7) % 5; ++c) loop.copy(CopyKind::host_to_device, 700, 13, 3);
  }
  EXPECT_EQ(found(loop).list.size(), 12U);
}

TEST(Periodicity, ValidationEpochsBetweenTrainingEpochs) {
  LoopMaker loop;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 0; i < 10; ++i) train_kernels(loop);
    for (int i = 0; i < 20; ++i) forward_kernels(loop), loop.kernel("accuracy", 500);
  }
  EXPECT_EQ(found(loop).list.size(), 30U);
}

TEST(Periodicity, AnOptimizerThatLoopsOverParametersIsNoLoop) {
  LoopMaker loop;
  for (int i = 0; i < 8; ++i) {
    train_kernels(loop, 4);
    for (int parameter = 0; parameter < 30; ++parameter) {
      for (const char* part : {"lerp", "mul", "addcmul", "sqrt", "addcdiv"}) loop.kernel(part, 500);
    }
  }
  EXPECT_EQ(found(loop).list.size(), 8U);
}

TEST(Periodicity, AGenerationLoopInsideATrainingStepIsNoStep) {
  LoopMaker loop;
  for (int i = 0; i < 5; ++i) {
    for (int token = 0; token < 40; ++token) {
      forward_kernels(loop, 3);
      loop.kernel("argmax", 300);
    }
    train_kernels(loop, 3);
  }
  EXPECT_EQ(found(loop).list.size(), 5U);
}

TEST(Periodicity, AGenerationLoopAloneStepsByToken) {
  LoopMaker loop;
  for (int token = 0; token < 60; ++token) {
    forward_kernels(loop, 3);
    loop.copy(CopyKind::device_to_host, 500);
    loop.make.data.device_ops.name.back() =
        loop.make.data.strings.intern("Memcpy DtoH (Device -> Pageable)");
  }
  EXPECT_EQ(found(loop).list.size(), 60U);
}

TEST(Repeats, LevelsComeWithTheMostRepeatsFirst) {
  std::vector<std::uint32_t> tokens;
  for (std::uint32_t step = 0; step < 10; ++step) {
    tokens.push_back(8);
    for (std::uint32_t layer = 0; layer < 8; ++layer) tokens.insert(tokens.end(), {1, 2, 3, 4, 5});
    tokens.push_back(9);
  }
  const std::vector<RepeatLevel> levels = find_levels(tokens);
  ASSERT_GE(levels.size(), 2U);
  EXPECT_EQ(levels.back().begins.size(), 10U);
  EXPECT_EQ(levels.back().typical_length, 42U);
  EXPECT_DOUBLE_EQ(levels.back().explained, 1.0);
  EXPECT_GT(levels.front().begins.size(), 60U);
}

TEST(Repeats, NoiseHasNone) {
  std::vector<std::uint32_t> tokens;
  std::uint32_t x = 1;
  for (int i = 0; i < 5'000; ++i) tokens.push_back((x = x * 1664525U + 1013904223U) >> 23U);
  for (const RepeatLevel& level : find_levels(tokens)) EXPECT_LT(level.explained, 0.6);
}

TEST(Repeats, ShortInputHasNone) {
  EXPECT_TRUE(find_levels({}).empty());
  const std::vector<std::uint32_t> two{1, 1};
  EXPECT_TRUE(find_levels(two).empty());
}

}  // namespace
}  // namespace stepscope
