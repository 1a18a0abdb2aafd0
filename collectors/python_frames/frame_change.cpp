// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/frame_change.hpp"

#include <utility>

namespace stepscope::python {
namespace {

// Returns the innermost loop of the frame that holds both places, or null.
const CodeLoop* common_loop(const SeenFrame& frame, const Spot& a, const Spot& b) noexcept {
  const CodeLoop* found = nullptr;
  for (const CodeLoop& loop : frame.shape->loops)
    if (a.is_in(loop) && b.is_in(loop)) found = &loop;
  return found;
}

// Its line was run again, which only a loop does.
Round called_again(std::span<const SeenFrame> last, std::uint32_t caller) noexcept {
  if (caller == kNowhere) return {};
  const Spot spot(last[caller]);
  return {caller, common_loop(last[caller], spot, spot)};
}

}  // namespace

bool Spot::is_in(const CodeLoop& loop) const noexcept {
  if (handler == nullptr) return loop.holds(unit);
  // The jump back at a loop's end is behind every `try` in it.
  return handler->guards_begin >= loop.begin && handler->guards_end < loop.end;
}

bool Spot::is_before(const Spot& other) const noexcept {
  const auto order = [](const Spot& spot) {
    return std::pair(spot.handler == nullptr ? spot.unit : spot.handler->guards_end - 1U,
                     spot.unit);
  };
  return order(*this) < order(other);
}

Change change_at(std::span<const SeenFrame> last, std::uint32_t index, const Place& now) noexcept {
  Change out{.frame = index};
  const SeenFrame& before = last[index];
  if (before.at.has_code_of(now)) {
    const Spot from(before), to(before, now.unit);
    const CodeLoop* loop = common_loop(before, from, to);
    out.same_call = from.is_before(to) || loop != nullptr;
    if (to.is_before(from)) out.round = {index, loop};
  }
  // C code may call a function several times in one run of the line.
  const bool is_anew = !out.same_call && before.at.code == now.code && now.is_called_by_python;
  if (is_anew) out.round = called_again(last, index - 1);
  return out;
}

}  // namespace stepscope::python
