// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stepscope::kernels {

// The order in which a decoder's vectors are worked through, feature by feature. Results do not
// depend on it, to the bit.
enum class FeatureOrder {
  // One target after the other: the output gradients of one target, which all its sources read,
  // stay
  // in the L2 cache; memory is swept in runs of a vector.
  by_target,
  // As weights lie: memory is swept from begin to end; output gradients of all targets are read
  // side
  // by side.
  in_memory,
};

}  // namespace stepscope::kernels
