// SPDX-License-Identifier: Apache-2.0
// How much is recorded; each level holds the ones before it.
#pragma once

#include <cstdint>

namespace stepscope {

// light: device work, launches, copies and waits, no lines. standard: events, allocations, lines,
// user scopes and backward nodes. deep: every PyTorch op, CUDA call and allocation of its
// allocator, and compilation, too.
enum class Level : std::uint8_t { light, standard, deep };

}  // namespace stepscope
