// SPDX-License-Identifier: Apache-2.0
// Mean and standard deviation of the first rows of a store that has no norm_stats.json.
#pragma once

#include <cstdint>

#include "core/support/result.hpp"
#include "reference_trainers/activation_files/activation_files.hpp"
#include "reference_trainers/activation_files/norm_stats.hpp"

namespace stepscope::trainers {

struct MeasuredStats {
  NormStats stats;
  std::int64_t rows = 0;  // they were taken over
};

// Over `rows` rows or a few more, in the chunks' order, read part by part; over all rows of a store
// that has less.
Result<MeasuredStats> measure_stats(const ActivationFiles& files, std::int64_t rows);

}  // namespace stepscope::trainers
