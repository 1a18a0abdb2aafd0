// SPDX-License-Identifier: Apache-2.0
// A run's losses as a file of CSV, a line a step: step (from 1), loss, gradient_norm,
// learning_rate. Lines are written as losses are read, so that a run that is killed leaves them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/training/training.hpp"

namespace stepscope::llm {

class LossFile {
 public:
  // An empty path: nothing is written. Behind a checkpoint of `steps_made` steps the file's lines
  // of these steps stay, and those of later ones go. An Error names the file.
  static Result<LossFile> open(const std::string& path, std::int64_t steps_made);

  Status add(const Config& config, const std::vector<StepLog>& steps);

 private:
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
};

}  // namespace stepscope::llm
