// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/device/messages.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// A group of more calls than this is no group: its start is not in the trace.
constexpr RangeId kLongestGroup = 1U << 16U;

}  // namespace

bool Messages::is_nccl(RangeId range) const {
  const HostRanges& h = trace_.host_ranges();
  return h.kind[range] == HostKind::nvtx_range && trace_.text(h.category[range]) == "NCCL";
}

std::uint32_t Messages::row_of(RangeId range) const {
  const std::vector<RangeId>& ranges = trace_.data().collectives.range;
  const auto at = std::lower_bound(ranges.begin(), ranges.end(), range);
  if (at == ranges.end() || *at != range) return kNone;
  return static_cast<std::uint32_t>(at - ranges.begin());
}

const Messages::Calls& Messages::launched_in(RangeId range) {
  if (trace_.data().collectives.size() == 0) return none_;
  while (range != kNone && !is_nccl(range)) range = trace_.host_ranges().parent[range];
  if (range == kNone) return none_;
  const auto [at, is_new] = known_.try_emplace(range);
  if (is_new) at->second = calls_of(range);
  return at->second;
}

Messages::Calls Messages::calls_of(RangeId nccl_range) const {
  if (const std::uint32_t row = row_of(nccl_range); row != kNone) return {row};
  if (trace_.text(trace_.host_ranges().name[nccl_range]) == "ncclGroupEnd")
    return calls_of_group(nccl_range);
  return {};
}

// Back over the thread's ranges to the start that this end belongs to.
Messages::Calls Messages::calls_of_group(RangeId end) const {
  const HostRanges& h = trace_.host_ranges();
  const RangeId first = trace_.ranges_of(h.thread[end]).begin;
  Calls calls;
  int depth = 1;
  for (RangeId r = end; r > first && end - r < kLongestGroup;) {
    if (!is_nccl(--r)) continue;
    const std::string_view name = trace_.text(h.name[r]);
    if (name == "ncclGroupEnd") ++depth;
    if (name == "ncclGroupStart" && --depth == 0) {
      std::reverse(calls.begin(), calls.end());
      return calls;
    }
    if (const std::uint32_t row = row_of(r); row != kNone) calls.push_back(row);
  }
  return {};
}

}  // namespace stepscope
