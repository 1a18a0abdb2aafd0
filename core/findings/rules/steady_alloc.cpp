// SPDX-License-Identifier: Apache-2.0
// steady_alloc: memory of the device, or pinned memory, is allocated or freed by the driver in
// steps behind warm-up. PyTorch's allocator keeps what it has; calls mean that shapes change, that
// memory is short, or that somebody pins or frees by hand. cudaFree and cudaHostAlloc wait for the
// device.
//
//   fires where   idle >= least
//   idle          time that host.alloc owns, and what a host would have hidden that had not waited
//                 in the calls (run_ahead.hpp)
//   cleared       with their number where they cost less
//   not judged    where the first step is all that was counted: every program allocates in it
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/findings/advice/advice.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

std::uint64_t allocations(const JudgedRun& run) {
  for (const WorkCount& count : run.summary.counts)
    if (count.name == "allocations") return count.total;
  return 0;
}

bool may_wait(ApiKind api) {
  return api == ApiKind::free_device || api == ApiKind::alloc_device || api == ApiKind::alloc_host;
}

// The loop's calls by which the driver manages memory, as waits: some of them wait for the device.
std::vector<HostWait> waits_of_calls(const JudgedRun& run) {
  const Calls& calls = run.trace.calls();
  const HostRanges& h = run.trace.host_ranges();
  std::vector<HostWait> out;
  for (CallId call = 0; call < calls.size(); ++call) {
    const RangeId range = calls.range[call];
    if (!may_wait(calls.api[call]) || h.thread[range] != run.steps.thread) continue;
    HostWait wait;
    wait.time = {h.begin[range], h.end[range]};
    wait.site = run.sites[range];
    wait.range = range;
    out.push_back(wait);
  }
  return out;
}

// Sums the time in which the device idles in the calls, and behind those after which it had nothing
// left to do.
Price alloc_time(const JudgedRun& run) {
  Price price(run);
  std::vector<HostWait> waits = waits_of_calls(run);
  const std::size_t own = waits.size();
  std::vector<bool> removed(own, true);
  waits.insert(waits.end(), run.calls.waits.begin(), run.calls.waits.end());
  removed.resize(waits.size(), false);
  std::vector<std::size_t> order(waits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return waits[a].time.begin < waits[b].time.begin;
  });
  std::vector<HostWait> ordered;
  std::vector<bool> ordered_removed;
  for (const std::size_t i : order) {
    ordered.push_back(waits[i]);
    ordered_removed.push_back(removed[i]);
  }
  const RunAhead ahead = run_ahead(run, ordered, ordered_removed);
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    if (ordered_removed[i])
      price.add(ordered[i].site, ordered[i].phase, ahead.caused[i], {ordered[i].range, kNone});
  }
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (s.cause == Cause::host_alloc && run.counts(s.time.begin))
      price.add(s, s.time.length() - ahead.hidden[i]);
  }
  return price;
}

Finding alloc_finding(const JudgedRun& run, const Price& price, double idle) {
  Finding out = price.finding(idle);
  out.count_per_step = run.count_per_step(allocations(run));
  out.title = fmt::format(
      "the driver allocates or frees memory {} a step behind warm-up, and the device idles {} for "
      "it",
      counted_text(run, allocations(run), "time"), format_duration(idle));
  Fix without;
  without.kind = FixKind::hoist_invariant;
  without.scope.sites = price.largest_sites(0.02);
  without.scope.cause = Cause::host_alloc;
  out.fixes = {without};
  advise(Advice::steady_alloc, run.language, out);
  out.falsified_by = "the calls go away and the step is as long as before";
  out.certainty = run.inflated ? Certainty::assumption : Certainty::trace_verified;
  return out;
}

}  // namespace

Judgement judge_steady_alloc(const JudgedRun& run) {
  const Price price = alloc_time(run);
  const double idle = run.idle_per_step(price.total());
  if (idle >= run.least_ns()) {
    if (run.is_first_step_alone())
      return abstained(
          "the first step is the only one that was counted, and every program allocates in it");
    Explained allocating;
    for (std::size_t i = 0; i < run.segments().size(); ++i)
      if (run.segments()[i].cause == Cause::host_alloc)
        allocating.emplace_back(i, run.segments()[i].time.length());
    return fired(alloc_finding(run, price, idle), std::move(allocating));
  }
  const std::uint64_t calls = allocations(run);
  if (calls == 0) return cleared("no allocation by the driver in the counted steps");
  return cleared(fmt::format("{} a step cost {} ({})", counted_text(run, calls, "allocation"),
                             format_duration(idle), percent(run.share(idle))));
}

}  // namespace stepscope::rules
