// SPDX-License-Identifier: Apache-2.0
// Which strips of a matrix that is read as one long row a warp takes, one after the other.
//
// A round is a strip for each warp of all blocks. A block's warps stand side by side, but in the
// last round, which is not full, the blocks' first warps do, then their second ones: so it is the
// same work for all blocks.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

// Numbers of `whole` strips and of the part of one behind them, where there is one; the caller
// compares with how many there are.
struct StripOrder {
  std::uint32_t stride;
  std::uint32_t last_round;  // its first strip
  std::uint32_t last;        // this warp's of that round
  std::uint32_t first;       // this warp's of all

  static constexpr std::uint32_t kNone = 0xffffffffU;

  STEPSCOPE_HOST_DEVICE constexpr StripOrder(std::uint32_t whole, std::uint32_t block,
                                             std::uint32_t blocks, std::uint32_t warp,
                                             std::uint32_t warps)
      : stride(blocks * warps),
        last_round(whole / stride * stride),
        last(last_round + warp * blocks + block),
        first(last_round > 0 ? block * warps + warp : last) {}

  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t behind(std::uint32_t strip) const {
    if (strip >= last_round) return kNone;
    return strip + stride < last_round ? strip + stride : last;
  }
};

}  // namespace stepscope::kernels
