// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/range_stacks.hpp"

#include <algorithm>

#include "collectors/recorder/recorder.hpp"

namespace stepscope::recorder {

void RangeStacks::begin(std::uint16_t lane, OpenRange range) {
  if (lane >= kMaxLanes) return;
  range.thread = thread_;
  rows_.begin(range);
  lanes_[lane].push_back(range);
}

void RangeStacks::end(std::uint16_t lane, std::int64_t time) {
  if (lane >= kMaxLanes) return;
  std::vector<OpenRange>& stack = lanes_[lane];
  if (stack.empty()) {
    batch_.late_ends.time.push_back(time);
    batch_.late_ends.thread.push_back(thread_);
    batch_.late_ends.lane.push_back(lane);
    return;
  }
  rows_.end(stack.back(), time);
  stack.pop_back();
}

// The range's row is known for good when it ends.
void RangeStacks::message(const Slot& slot, const CollectiveSlot& message) {
  if (slot.lane >= kMaxLanes || lanes_[slot.lane].empty()) return;
  OpenRange& range = lanes_[slot.lane].back();
  range.has_message = true;
  range.message = message;
  range.peer = slot.name;
  range.reduce = std::min(static_cast<ReduceOperation>(slot.kind), ReduceOperation::other);
}

void RangeStacks::end_calls(std::int64_t time) {
  std::vector<OpenRange>& calls = lanes_[kLaneCall];
  for (; !calls.empty(); calls.pop_back())
    rows_.end(calls.back(), std::max(time, calls.back().begin));
}

void RangeStacks::list_open() {
  for (std::uint32_t lane = 0; lane < kMaxLanes; ++lane) {
    for (OpenRange& range : lanes_[lane]) rows_.list_open(range, lane);
  }
}

}  // namespace stepscope::recorder
