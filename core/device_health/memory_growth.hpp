// SPDX-License-Identifier: Apache-2.0
// Whether the memory in use grows from step to step, and by how much.
//
// Growing (or shrinking), over at least 8 samples in 4 steps: the slope of the fitted line is more
// than 4 of its standard errors; the median moves on by a tenth of the way or more from each
// quarter of the samples to the next, so that one jump is no trend; and the way is at least 4 MiB,
// two of the pages that devices give out.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/device_health/step_samples.hpp"

namespace stepscope {

enum class MemoryTrend : std::uint8_t { not_enough_samples, flat, growing, shrinking };
std::string_view name_of(MemoryTrend trend);

struct MemoryGrowth {
  MemoryTrend trend = MemoryTrend::not_enough_samples;
  std::optional<double> bytes_per_step;  // growing or shrinking only
};

MemoryGrowth memory_growth(const std::vector<StepSample>& samples);

}  // namespace stepscope
