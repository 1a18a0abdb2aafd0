// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/threads.hpp"

#include <algorithm>

namespace stepscope {
namespace {

bool runs_backward_nodes(const Trace& trace, ThreadId thread) {
  const Rows rows = trace.ranges_of(thread);
  for (RangeId r = rows.begin; r < rows.end; ++r) {
    if (trace.host_ranges().kind[r] == HostKind::backward_node) return true;
  }
  return false;
}

}  // namespace

Threads::Threads(const Trace& trace, const Steps& steps) : loop_(steps.thread) {
  const std::vector<Thread>& threads = trace.data().threads;
  for (ThreadId t = 0; t < threads.size(); ++t) {
    const bool named = threads[t].name.find("pt_autograd") != std::string::npos;
    const bool worker = t != loop_ && threads[t].process == steps.process &&
                        (named || runs_backward_nodes(trace, t));
    worker_.push_back(worker);
    if (worker) workers_.push_back(t);
    work_.emplace_back(trace, t, TimelineOf::work);
    calls_.emplace_back(trace, t, TimelineOf::calls);
  }
}

namespace {

// The autograd engine takes some 10 us from one node to the next.
constexpr std::int64_t kEngineGapNs = 1'000'000;

}  // namespace

bool begins_burst(const Trace& trace, const Threads& threads, ThreadId worker, const Piece& gap) {
  if (threads.calls(worker).previous_range(gap.time.begin + 1).innermost == kNone) return true;
  const Collected& collected = trace.collected();
  if (!collected.framework_ops && !collected.api_calls) return gap.time.length() > kEngineGapNs;
  const Piece call = threads.calls(threads.loop()).next_range(gap.time.begin);
  return call.innermost != kNone && call.time.begin < gap.time.end;
}

RangeId on_its_way(const Threads& threads, ThreadId thread, std::int64_t time) {
  const Piece next = threads.calls(thread).next_range(time);
  const auto works_first = [&](ThreadId worker) {
    const Piece node = threads.calls(worker).next_range(time);
    return node.innermost != kNone && node.time.begin < next.time.begin;
  };
  const std::vector<ThreadId>& workers = threads.workers();
  const bool handed_over =
      thread == threads.loop() && std::any_of(workers.begin(), workers.end(), works_first);
  const RangeId before =
      handed_over ? threads.calls(thread).previous_range(time).innermost : RangeId{kNone};
  return before != kNone ? before : next.innermost;
}

}  // namespace stepscope
