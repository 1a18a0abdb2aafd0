// SPDX-License-Identifier: Apache-2.0
// Which pass of autograd did a line's work. `backward`: the gradient of what the line computes.
// `recompute`: the line itself, run once more inside a backward node (checkpointing). What is in no
// pass, or in the forward one, has none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/model/ids.hpp"

namespace stepscope {

enum class Direction : std::uint8_t { none, backward, recompute };
inline constexpr std::array<std::string_view, 3> kDirectionNames = {"", "backward", "recompute"};
inline constexpr std::string_view name_of(Direction direction) {
  return kDirectionNames[static_cast<std::size_t>(direction)];
}

// A line and the pass that worked for it.
struct CodeLine {
  SiteId site = kNone;
  Direction direction = Direction::none;
  friend bool operator==(const CodeLine&, const CodeLine&) = default;
};

}  // namespace stepscope
