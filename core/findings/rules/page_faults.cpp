// SPDX-License-Identifier: Apache-2.0
// page_faults: on a run without a device, each step takes its tensors' memory from the system anew,
// since the allocator of the C library gives large blocks back as soon as they are free. The system
// clears each page when it is first written to.
//
//   fires where   caused >= 3 % of the step, and >= least
//   caused        the loop's own time in operations and between them x the share of the process's CPU
//                 time that page faults take
//   that share    min(time in the kernel, page faults x 4 us) / CPU time, all threads together, from
//                 the first counted step to the last. A fault of 4 kB takes 0.3 to 2.5 us; what the
//                 kernel does beside (files, sockets) is not page faults'
//   forecast      all of these times without that share; at worst half of it stays, and at best a third
//                 more goes, since clearing a page also takes the caches' place
//   abstains      where the counters were not sampled, beside a device, and where workers of a loader
//                 start in the steps: a fork copies pages by faults
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/price.hpp"
#include "core/findings/worker_starts.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kPageFaults = "page_faults";
constexpr double kFaultsLeastShare = 0.03;
constexpr double kMostNsOfFault = 4'000;
constexpr double kStartsMatter = 0.03;   // share of the step, from which on they are a finding
constexpr double kStaysAtWorst = 0.5;    // part of the share
constexpr double kCauseWorthFix = 0.01;  // share of the step
constexpr double kPageBytes = 4096;

double fault_share(const KernelUse& use) {
  const double faults = std::min(use.system_ns, kMostNsOfFault * use.page_faults);
  return use.cpu_ns > 0 ? std::min(1.0, faults / use.cpu_ns) : 0;
}

Finding faults_finding(const JudgedRun& run, const Price& price, double caused, double share,
                       double faults) {
  Finding out = price.finding(caused);
  out.count_per_step = faults;
  out.title = fmt::format(
      "{:.0f} times a step the system gives the process a new page of memory ({:.3g} MB), which "
      "takes "
      "{} of all its CPU time: {} a step ({})",
      faults, faults * kPageBytes / 1e6, percent(share), format_duration(caused),
      percent(run.share(caused)));
  std::map<Cause, std::int64_t> causes;
  for (const Segment& s : run.segments())
    if (may_take_new_pages(s.cause) && run.counts(s.time.begin)) causes[s.cause] += s.time.length();
  for (const auto& [cause, ns] : causes) {
    if (run.weight(run.per_step(ns)) < kCauseWorthFix) continue;
    Fix without{.kind = FixKind::scale_work,
                .factor = 1 - share,
                .factor_low = std::max(kLeastLeft, 1 - (1 + kGoesBesideFaults) * share),
                .factor_high = 1 - share * kStaysAtWorst};
    without.scope.cause = cause;
    without.finding = kPageFaults;
    out.fixes.push_back(without);
  }
  advise(Advice::page_faults, run.language, out);
  out.falsified_by = fmt::format(
      "with these settings of the allocator the step does not become shorter by about {}",
      format_duration(caused));
  out.certainty = Certainty::inferred;
  return out;
}

}  // namespace

Judgement judge_page_faults(const JudgedRun& run) {
  if (run.has_device)
    return abstained("what the host's page faults cost beside a device is not known");
  const WorkerStarts starts(run);
  if (run.weight(run.per_step(total_length(starts.times))) >= kStartsMatter)
    return abstained(
        "workers of a loader start in these steps, and copying the pages that they share "
        "with the program is page faults, too");
  const auto use = kernel_use(run);
  if (!use) return abstained("page faults were not sampled ('stepscope profile' samples them)");
  const double share = fault_share(*use);
  Price price(run);
  for (const Segment& s : run.segments())
    if (may_take_new_pages(s.cause) && run.counts(s.time.begin))
      price.add(s, static_cast<std::int64_t>(share * static_cast<double>(s.time.length())));
  const double caused = run.per_step(price.total());
  const double faults = use->page_faults / static_cast<double>(run.summary.counted.size());
  if (run.weight(caused) < kFaultsLeastShare || caused < run.least_ns())
    return cleared(fmt::format("{:.0f} page faults a step take {} ({})", faults,
                               format_duration(caused), percent(run.share(caused))));
  return fired(faults_finding(run, price, caused, share, faults));
}

}  // namespace stepscope::rules
