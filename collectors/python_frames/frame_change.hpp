// SPDX-License-Identifier: Apache-2.0
// Tells from two looks at a frame what happened between them: the frame went on, it went back inside
// one of its loops (an iteration), or a line of the caller ran again and called its function anew.
//
// Instructions are compared in the order in which a function runs. An exception handler stands behind
// all other code of its function; its instructions count as the last one that it guards.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "collectors/python_frames/known_code.hpp"

namespace stepscope::python {

inline constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

struct Place {
  Object frame, code;
  std::uint32_t unit;
  bool is_called_by_python;  // by the frame around it, without C between

  bool has_code_of(const Place& other) const noexcept {
    return frame == other.frame && code == other.code;
  }
};

struct SeenFrame {
  Place at;
  const CodeShape* shape;
  bool is_programs;
};

// A unit of a function, in the order in which it runs.
struct Spot {
  std::uint32_t unit;
  const Handler* handler;  // null: an instruction in front of all handlers

  Spot(const SeenFrame& frame, std::uint32_t at) noexcept : unit(at), handler(nullptr) {
    for (const Handler& one : frame.shape->handlers)
      if (one.holds(at)) handler = &one;
  }
  explicit Spot(const SeenFrame& frame) noexcept : Spot(frame, frame.at.unit) {}

  bool is_in(const CodeLoop& loop) const noexcept;
  bool is_before(const Spot& other) const noexcept;
};

struct Round {  // the loop of a frame that came round
  std::uint32_t frame = kNowhere;
  const CodeLoop* loop = nullptr;
};

struct Change {
  std::uint32_t frame = 0;  // the first that differs
  bool same_call = false;   // it is still the same call of its function
  Round round{};
};

// `last`: the frames of the last look, outermost first; the one at `index` stands at `now`, and those
// in front of it have not moved.
Change change_at(std::span<const SeenFrame> last, std::uint32_t index, const Place& now) noexcept;

}  // namespace stepscope::python
