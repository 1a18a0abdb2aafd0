// SPDX-License-Identifier: Apache-2.0
// One walk in progress, from the end of an idle interval back to its begin: all of [time, end of the
// interval) has an owner, and its segments are appended latest first.
#pragma once

#include <vector>

#include "core/attribution/attribution.hpp"

namespace stepscope {

struct WalkPath {
  std::int64_t begin;
  std::int64_t time;
  std::vector<Segment>& backwards;
  // Where it goes on: with what held back this op; kNone: on this thread.
  DeviceOpId op;
  ThreadId thread;
  int jumps_without_progress = 0;

  bool done() const { return time <= begin; }
  void go_on(ThreadId on) {
    op = kNone;
    thread = on;
  }
};

}  // namespace stepscope
