// SPDX-License-Identifier: Apache-2.0
// A run of seconds on the CPU, and its log.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/run.hpp"

namespace stepscope::llm {

inline Config small_config(std::int64_t steps = 6) {
  Config config;
  use_preset(config, *find_preset("tiny"));
  config.shape = {2, 48, 6, 2, 64, 256};
  config.sequence = 32;
  config.micro_batch = 2;
  config.steps = steps;
  config.corpus_tokens = 8192;
  config.device = trainers::DeviceWish::cpu;
  return config;
}

inline RunResult run_quietly(const Config& config) {
  const Result<RunResult> result = run(config, [](const std::string&) {});
  EXPECT_TRUE(result) << result.error().message;
  return result ? *result : RunResult{};
}

inline std::string error_of(const Config& config) {
  const Result<RunResult> result = run(config, [](const std::string&) {});
  return result ? "no error" : result.error().message;
}

inline std::string temporary(const std::string& name) {
  const std::string path = testing::TempDir() + "stepscope_llm_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                           name;
  std::filesystem::remove_all(path);
  return path;
}

}  // namespace stepscope::llm
