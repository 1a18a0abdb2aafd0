// SPDX-License-Identifier: Apache-2.0
// The ranges that one thread is in, a stack a lane: an end ends the innermost one of its lane. An
// end that finds no range was begun before this reader of the ring (a process's own writer knows
// its begin), and is a late end of the batch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "collectors/recorder/draining/range_rows.hpp"

namespace stepscope::recorder {

class RangeStacks {
 public:
  RangeStacks(ThreadId thread, EventBatch& batch) : thread_(thread), batch_(batch), rows_(batch) {}

  void begin(std::uint16_t lane, OpenRange range);
  void end(std::uint16_t lane, std::int64_t time);
  // Sets the message of the lane's innermost range.
  void message(const Slot& slot, const CollectiveSlot& message);
  // Ends the calls whose end may never be recorded.
  void end_calls(std::int64_t time);
  // Lists the open ranges, after RangeRows::remove_open.
  void list_open();

 private:
  ThreadId thread_;
  EventBatch& batch_;
  RangeRows rows_;
  std::array<std::vector<OpenRange>, kMaxLanes> lanes_;
};

}  // namespace stepscope::recorder
