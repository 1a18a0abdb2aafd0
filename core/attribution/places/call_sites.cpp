// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/call_sites.hpp"

#include "core/attribution/places/user_code.hpp"

namespace stepscope {

// Parents stand before their children, so one pass in row order hands the lines down.
CallSites::CallSites(const Trace& trace, const Threads& threads) : threads_(threads) {
  std::vector<bool> counts;  // a recorded call site, or a function of user code
  for (const Site& site : trace.data().sites) {
    counts.push_back(site.kind == SiteKind::call || is_user_file(trace.text(site.file)));
  }
  const HostRanges& h = trace.host_ranges();
  nearest_.resize(h.size());
  for (RangeId r = 0; r < h.size(); ++r) {
    const bool own = h.site[r] != kNone && counts[h.site[r]];
    const RangeId outer = enclosing_range(h, r);
    const SiteId around = outer == kNone ? kNone : nearest_[outer];
    nearest_[r] = own ? h.site[r] : around;
  }
}

SiteId CallSites::at(ThreadId thread, std::int64_t time, RangeId innermost) const {
  const SiteId own = innermost == kNone ? kNone : nearest_[innermost];
  if (own != kNone || !threads_.is_worker(thread)) return own;
  const RangeId callers = threads_.work(threads_.loop()).at(time).innermost;
  return callers == kNone ? kNone : nearest_[callers];
}

}  // namespace stepscope
