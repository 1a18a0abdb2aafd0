// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/hand_off.hpp"

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

}  // namespace stepscope
