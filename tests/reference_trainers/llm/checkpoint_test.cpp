// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/training/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/reference_trainers/llm/small_run.hpp"

namespace stepscope::llm {
namespace {

using testing::HasSubstr;

// Steps 4 to 6 of a run that was made in two processes, and of one that was not.
void expect_identical(const Rungs& rungs) {
  Config whole = small_config(6);
  whole.rungs = rungs;
  whole.lr_steps = 6;
  const RunResult all = run_quietly(whole);
  Config first = whole, second = whole;
  first.steps = 3;
  first.checkpoint = temporary("half");
  run_quietly(first);
  second.resume = first.checkpoint;
  const RunResult rest = run_quietly(second);
  EXPECT_EQ(rest.resumed_from, 3);
  ASSERT_EQ(rest.log.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rest.log[i].loss, all.log[i + 3].loss) << i;
    EXPECT_EQ(rest.log[i].gradient_norm, all.log[i + 3].gradient_norm) << i;
  }
}

TEST(LlmCheckpoint, GoesOnToTheBit) {
  expect_identical({});
  expect_identical(*rungs_up_to("R5b"));
  expect_identical(*rungs_up_to("R7"));
  expect_identical(*rungs_up_to("R11b"));
}

TEST(LlmCheckpoint, WhatDoesNotFitIsSaid) {
  Config config = small_config(2);
  config.checkpoint = temporary("file");
  run_quietly(config);
  Config other = small_config(4);
  other.resume = config.checkpoint;
  other.seed = 9;
  EXPECT_THAT(error_of(other), HasSubstr("written with --seed 0, this run has 9"));
  other.seed = 0;
  other.rungs.packed = true;
  EXPECT_THAT(error_of(other), HasSubstr("it has no tensor parameter.layers.0.query_key_value"));
  other.rungs.packed = false;
  other.shape.hidden = 128;
  EXPECT_THAT(error_of(other),
              HasSubstr("parameter.layers.0.gate is [64, 48], this run's is [128, 48]"));
  other.shape.hidden = 64;
  other.steps = 2;
  EXPECT_THAT(error_of(other), HasSubstr("2 steps were made already"));
  std::ofstream(config.checkpoint, std::ios::binary | std::ios::in).seekp(5000) << "damage";
  other.steps = 4;
  EXPECT_THAT(error_of(other), HasSubstr("damaged"));
  other.resume = temporary("missing");
  EXPECT_THAT(error_of(other), HasSubstr("cannot be opened"));
}

TEST(LlmCheckpoint, APlaceThatCannotBeWrittenStopsTheRunBeforeItBegins) {
  Config config = small_config(1'000'000'000);
  config.checkpoint = temporary("none") + "/file";
  EXPECT_THAT(error_of(config), HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace stepscope::llm
