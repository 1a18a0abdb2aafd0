// SPDX-License-Identifier: Apache-2.0
// What the trainers' checkpoints have in common: a schema, how many steps were made, the numbers
// that a run must share with its checkpoint, and named tensors. An Error begins with
// "checkpoint PATH: " and says what to go on with.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/common/tensor_file.hpp"

namespace stepscope::trainers {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// A number of the run, and how a user names it.
struct RunNumber {
  const char *name, *flag;
  std::int64_t value;
};

// Returns the fields, with the tensors copied to the host.
Dictionary checkpoint_fields(const char* schema, std::int64_t steps,
                             std::span<const RunNumber> numbers, const NamedTensors& state);

Status check_run_numbers(const std::string& path, const Dictionary& all,
                         std::span<const RunNumber> numbers);
bool has_schema(const Dictionary& all, const char* schema);

// "" where there is none of that name.
std::string text_in(const Dictionary& all, const char* name);
std::int64_t number_in(const Dictionary& all, const char* name, std::int64_t otherwise);
Result<std::int64_t> steps_in(const std::string& path, const Dictionary& all);

}  // namespace stepscope::trainers
