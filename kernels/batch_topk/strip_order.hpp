// SPDX-License-Identifier: Apache-2.0
// Which strips of a matrix that is read as one long row a warp takes, one after the other: from the
// last down. What was written last is what the L2 cache still holds of keys that come from the
// kernel before; it is read before other keys drive it out.
//
// A round is a strip for each warp of all blocks. A block's warps stand side by side, but in the
// last round, which is not full, the blocks' first warps do, then their second ones: so it is the
// same work for all blocks.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

// Numbers of strips from 0; below it there is none.
struct StripOrder {
  std::int32_t stride;
  std::int32_t left;   // strips left for the last round: those below it
  std::int32_t last;   // this warp's strip of the last round
  std::int32_t first;  // this warp's first strip of all

  STEPSCOPE_HOST_DEVICE constexpr StripOrder(std::uint32_t strips, std::uint32_t block,
                                             std::uint32_t blocks, std::uint32_t warp,
                                             std::uint32_t warps)
      : stride(static_cast<std::int32_t>(blocks * warps)),
        left(static_cast<std::int32_t>(strips % (blocks * warps))),
        last(left - 1 - static_cast<std::int32_t>(warp * blocks + block)),
        first(strips >= blocks * warps
                  ? static_cast<std::int32_t>(strips - 1 - block * warps - warp)
                  : last) {}

  STEPSCOPE_HOST_DEVICE constexpr std::int32_t behind(std::int32_t strip) const {
    if (strip < left) return -1;
    return strip - stride >= left ? strip - stride : last;
  }
};

}  // namespace stepscope::kernels
