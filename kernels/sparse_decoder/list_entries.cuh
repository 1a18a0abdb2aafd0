// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/sparse_decoder/sparse_decoder.hpp"

namespace stepscope::kernels::sparse_decoder_device {

// Returns where a line begins among the entries that the list holds; below 2^31.
__device__ inline std::uint32_t entry_at(const ActiveFeatures& list, std::uint32_t line) {
  return static_cast<std::uint32_t>(min(list.offsets[line], list.capacity));
}

}  // namespace stepscope::kernels::sparse_decoder_device
