// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/training/loss_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace stepscope::llm {
namespace {

constexpr const char* kColumns = "step,loss,gradient_norm,learning_rate\n";

// A line that was cut short has no end of line, and is of no step.
bool is_of_step_up_to(const std::string& line, std::int64_t last) {
  std::int64_t step = 0;
  const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), step);
  return problem == std::errc() && *end == ',' && step >= 1 && step <= last;
}

std::string lines_of_steps(const std::string& path, std::int64_t last) {
  std::string kept;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line) && !file.eof();)
    if (is_of_step_up_to(line, last)) kept += line + "\n";
  return kept;
}

Error loss_file_failed(const std::string& path) {
  return bad_input(fmt::format("--log {}: cannot be written: {}", path, std::strerror(errno)));
}

}  // namespace

Result<LossFile> LossFile::open(const std::string& path, std::int64_t steps_made) {
  LossFile out;
  if (path.empty()) return out;
  const std::string text = kColumns + lines_of_steps(path, steps_made);
  out.path_ = path;
  out.file_.reset(std::fopen(path.c_str(), "we"));
  if (!out.file_ || std::fputs(text.c_str(), out.file_.get()) < 0 ||
      std::fflush(out.file_.get()) != 0)
    return loss_file_failed(path);
  return out;
}

Status LossFile::add(const Config& config, const std::vector<StepLog>& steps) {
  if (!file_ || steps.empty()) return Done{};
  for (const StepLog& step : steps)
    fmt::print(file_.get(), "{},{},{},{}\n", step.index + 1, step.loss, step.gradient_norm,
               learning_rate_of(config, step.index));
  return std::fflush(file_.get()) == 0 ? Status(Done{}) : Status(loss_file_failed(path_));
}

}  // namespace stepscope::llm
