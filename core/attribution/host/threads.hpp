// SPDX-License-Identifier: Apache-2.0
// The roles of host threads: the loop's thread, the autograd engine's workers that act for it, and
// the rest (prefetchers, loggers). Holds each thread's timelines, built once.
#pragma once

#include <vector>

#include "core/attribution/host/host_timeline.hpp"
#include "core/model/trace.hpp"
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

// Bursts of autograd nodes: the loop's thread hands over to an engine's thread, which runs nodes
// one after another, and waits until the last has ended.

// `gap` is a stretch of an engine's thread in which nothing ran. True where the node after it is
// the first of a burst: the caller made calls of its own within the gap, so it was not waiting.
// Where no call of the caller was recorded at all, only a short gap is the engine's.
bool begins_burst(const Trace& trace, const Threads& threads, ThreadId worker, const Piece& gap);

// Between two calls a thread is on its way to the later one: that line is charged. Where an
// autograd thread works before it, the caller was on its way into the backward pass, which is at
// the line of the call before.
RangeId on_its_way(const Threads& threads, ThreadId thread, std::int64_t time);

}  // namespace stepscope
