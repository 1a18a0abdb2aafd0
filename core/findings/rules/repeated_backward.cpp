// SPDX-License-Identifier: Apache-2.0
// repeated_backward: a pass of autograd's engine runs through operations whose gradients were computed
// by an earlier pass in the same step, and one pass would do for both.
//
//   fires where   again >= 3 % of the step, and >= least
//   again         the passes' repeated time on the host (backward_passes.hpp), less waits for a core, and
//                 the device operations that were launched in it
//   forecast      without that time; three hundredths of the host's stay, to add gradients up
//   The passes that sum gradients and those that ask for other inputs are a finding each.
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/findings/advice/advice.hpp"
#include "core/findings/backward_passes.hpp"
#include "core/findings/price.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kRepeatedBackward = "repeated_backward";
constexpr double kAgainLeastShare = 0.03;

// The work of the passes that is done again.
struct WorkAgain {
  WorkAgain(const JudgedRun& run, const IntervalSet& times) : price(run) {
    const DeviceOps& d = run.trace.device_ops();
    for (DeviceOpId op = 0; op < d.size(); ++op) {
      const CallId call = run.trace.launch_of(op);
      if (call == kNone || !run.counts_op(op)) continue;
      if (contains(times, run.trace.host_ranges().begin[run.trace.calls().range[call]]))
        ops.push_back(op);
    }
    for (std::size_t i = 0; i < run.segments().size(); ++i) add(run, times, i);
  }

  void add(const JudgedRun& run, const IntervalSet& times, std::size_t segment) {
    const Segment& s = run.segments()[segment];
    const std::int64_t ns = run.unexplained_ns(segment);
    const bool of_device = is_device_busy(s.cause);
    if (ns == 0 || s.cause == Cause::host_core_wait) return;
    if (of_device ? !std::ranges::binary_search(ops, s.device_evidence)
                  : !contains(times, s.time.begin))
      return;
    price.add(s, ns);
    parts.emplace_back(segment, ns);
  }

  Price price;
  Explained parts;
  std::vector<DeviceOpId> ops;
};

std::vector<Fix> without(const BackwardAgain& again, const WorkAgain& work) {
  Fix host{.kind = FixKind::drop_work};
  host.scope.host_times = again.times;
  host.finding = kRepeatedBackward;
  std::vector<Fix> out = {host};
  if (work.ops.empty()) return out;
  Fix device{.kind = FixKind::drop_work};
  set_ops(device, work.ops, kRepeatedBackward);
  out.push_back(device);
  return out;
}

std::string callers_text(const JudgedRun& run, const BackwardAgain& again) {
  std::set<std::string> lines;  // two sites may be at one
  for (const SiteId site : again.callers) lines.insert(run.line_text(site));
  return lines.empty() ? "" : fmt::format(" ({})", fmt::join(lines, ", "));
}

Finding finding_of(const JudgedRun& run, Mergeable kind, const BackwardAgain& again,
                   const WorkAgain& work, double caused) {
  const bool sums = kind == Mergeable::sums;
  Finding out = work.price.finding(caused);
  out.count_per_step = run.count_per_step(again.passes);
  const std::string times = count_text(out.count_per_step);
  out.title = fmt::format(
      "{} a step a backward pass{} goes through operations that an earlier pass of the step "
      "went through{}: {} ({}) is done again",
      times == "1" ? "once" : times + " times", callers_text(run, again),
      sums ? ", for another loss" : ", for the gradients of other inputs", format_duration(caused),
      percent(run.share(caused)));
  out.fixes = without(again, work);
  advise(sums ? Advice::losses_are_summed : Advice::inputs_are_asked_together, run.language, out);
  out.falsified_by =
      sums ? "one backward() of the sum of the losses does not shorten the step"
           : "one call of torch.autograd.grad for all inputs does not shorten the step";
  out.certainty = run.inflated ? Certainty::assumption : Certainty::trace_verified;
  return out;
}

}  // namespace

Judgement judge_repeated_backward(const JudgedRun& run) {
  Judgement out;
  const auto all = backward_again(run);
  double most = 0;
  for (const Mergeable kind : {Mergeable::sums, Mergeable::inputs}) {
    const BackwardAgain& again = all[static_cast<std::size_t>(kind)];
    if (again.passes == 0) continue;
    const WorkAgain work(run, again.times);
    const double caused = run.wall_per_step(work.price.total());
    most = std::max(most, caused);
    if (run.weight(caused) < kAgainLeastShare || caused < run.least_ns()) continue;
    out.found.push_back(finding_of(run, kind, again, work, caused));
    out.explained.insert(out.explained.end(), work.parts.begin(), work.parts.end());
  }
  if (!out.found.empty()) return out;
  if (most == 0) return cleared("no backward pass does again what another had done");
  return cleared(fmt::format("what backward passes do again takes {} a step ({})",
                             format_duration(most), percent(run.share(most))));
}

}  // namespace stepscope::rules
