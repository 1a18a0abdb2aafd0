// SPDX-License-Identifier: Apache-2.0
// For how many steps each feature has been silent: one more where no entry of its line in the list
// by column is above the threshold, else 0.
#pragma once

#include <cstdint>

#include "kernels/sparse_decoder/sparse_decoder.hpp"

namespace stepscope::kernels {

struct SilentSteps {
  std::int64_t columns = 0;
  ActiveFeatures by_column;  // float32; indices are not read
  float threshold = 0;
  std::int64_t* steps = nullptr;  // [columns], in place
};

Status count_silent_steps(const SilentSteps& arguments, CUstream_st* stream);

// Checks the arguments; ok where a call would launch.
Status validate(const SilentSteps& arguments);

}  // namespace stepscope::kernels
