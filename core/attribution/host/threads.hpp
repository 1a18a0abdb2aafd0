// SPDX-License-Identifier: Apache-2.0
// The roles of host threads: the loop's thread, the autograd engine's workers that act for it, and
// the rest (prefetchers, loggers). Holds each thread's timelines, built once.
#pragma once

#include <vector>

#include "core/attribution/host/host_timeline.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

class Threads {
 public:
  Threads(const Trace& trace, const Steps& steps);

  ThreadId loop() const { return loop_; }
  // A thread of the autograd engine: it runs backward nodes and is not the loop's.
  bool is_worker(ThreadId thread) const { return worker_[thread]; }
  const std::vector<ThreadId>& workers() const { return workers_; }
  const HostTimeline& work(ThreadId thread) const { return work_[thread]; }
  const HostTimeline& calls(ThreadId thread) const { return calls_[thread]; }

 private:
  ThreadId loop_;
  std::vector<bool> worker_;
  std::vector<ThreadId> workers_;
  std::vector<HostTimeline> work_;
  std::vector<HostTimeline> calls_;
};

}  // namespace stepscope
