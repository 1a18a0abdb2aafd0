// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/threads.hpp"

#include <algorithm>

namespace stepscope {
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
