// SPDX-License-Identifier: Apache-2.0
// Which keys a sample reads: the matrix's sectors of 32 bytes are cut into 2^15 equal runs, and a
// hash chooses one sector of each run. So every row has its share, and no period of the columns is
// followed. Strips of columns that are sampled whole are chosen in the same way.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

constexpr int kSectorBytes = 32;
constexpr std::int64_t kSampledSectors = std::int64_t{1} << 15;

STEPSCOPE_HOST_DEVICE constexpr std::uint32_t scrambled(std::uint32_t value) {
  value = (value ^ value >> 16) * 0x7feb352dU;
  value = (value ^ value >> 15) * 0x846ca68bU;
  return value ^ value >> 16;
}

// Cuts `items` into `runs` runs (at most as many) and returns the item that is chosen from run i.
STEPSCOPE_HOST_DEVICE constexpr std::int64_t chosen_of_run(std::int64_t i, std::int64_t runs,
                                                           std::int64_t items) {
  const std::int64_t begin = i * items / runs;
  const auto length = static_cast<std::uint32_t>((i + 1) * items / runs - begin);
  const std::uint64_t hash = scrambled(static_cast<std::uint32_t>(i));
  return begin + static_cast<std::int64_t>(hash * length >> 32);
}
// Whether an item is chosen.
STEPSCOPE_HOST_DEVICE constexpr bool is_chosen(std::int64_t item, std::int64_t runs,
                                               std::int64_t items) {
  return chosen_of_run(((item + 1) * runs - 1) / items, runs, items) == item;
}

// The sector of run i < kSampledSectors, or -1 where there are fewer sectors.
STEPSCOPE_HOST_DEVICE constexpr std::int64_t sampled_sector(std::int64_t i, std::int64_t sectors) {
  if (sectors <= kSampledSectors) return i < sectors ? i : -1;
  return chosen_of_run(i, kSampledSectors, sectors);
}

}  // namespace stepscope::kernels
