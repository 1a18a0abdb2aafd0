// SPDX-License-Identifier: Apache-2.0
// Random numbers are drawn on the host whatever the device, so that a seed gives the same weights
// and data everywhere. Each use takes a stream of its own: adding one later moves none of the
// others. A stream has parts, so that threads draw what belongs together in any order.
#pragma once

#include <ATen/core/Generator.h>

#include <cstdint>

namespace stepscope::trainers {

enum class RandomStream : std::uint64_t {
  weights = 1,
  activations = 2,
  batches = 3,
  held_out = 4,
  directions = 5
};

at::Generator seeded_generator(std::uint64_t seed, RandomStream stream, std::uint64_t part = 0);

}  // namespace stepscope::trainers
