// SPDX-License-Identifier: Apache-2.0
// unfused_optimizer on a run without a device: operations instead of kernels.
//
//   fires where   operations >= 20 a step, or of >= 4 names with a twentieth of their time each, in the
//                 optimizer's phase, none of them fused, and ceiling >= least
//   ceiling       what they compute less what a fused step computes, and the way between them less what a
//                 fused step has of it
//   computes      a third at least: each of k passes reads and writes some three values, a fused one k + 2.
//                 Products stay as they are
//   new tensors   an operation that makes one (without `_` at the end of its name) and takes longer over all
//                 parameters than any that writes in place asks for the tensor's memory for the rest of
//                 its time (page faults); a fused step makes none. At best 0.35 times as much goes in the
//                 step's other phases, too (kGoesBesideFaults)
//   way           a fused step still collects its lists in Python, which takes as long as the way to 8
//                 operations, and to 1.2 for each parameter: chosen from small tensors on one thread
//                 (docs/measurements/forecasts.md)
//   LBFGS         has no fused form: its forecast is of half its history, and leaves half of its time to all
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/attribution/device/operation_class.hpp"
#include "core/findings/advice/advice.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/rules/rules.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kUnfusedOptimizer = "unfused_optimizer";
constexpr double kLeastOperations = 20;
constexpr double kPartOfPass = 0.05;
constexpr double kFusedWays = 8, kFusedWaysEach = 1.2;
// Share of its time: less is too little to be in each replayed sample.
constexpr double kSmallPart = 0.02;

struct CpuOptimizer {
  explicit CpuOptimizer(const JudgedRun& run) : price(run) {}
  Price price;
  std::int64_t computing = 0;
  std::int64_t around = 0;       // Python and the framework between the operations
  std::uint64_t operations = 0;  // in all counted steps
  std::size_t steps = 0;         // the optimizer's, of which a step of the loop may have several
  struct Calls {
    std::int64_t ns = 0;
    std::uint64_t count = 0;
    bool in_place = false;
    bool is_product = false;  // which no fused step joins (Muon's, Shampoo's)
  };
  std::map<StringId, Calls> by_name;  // its operations
  bool fused = false;
  // Time of the other phases that page faults can make longer.
  std::map<Cause, std::map<PhaseId, std::int64_t>> elsewhere;
  PerCause<std::int64_t> by_cause{};
  std::vector<std::size_t> segments;

  // Returns an operation's time without the memory of new tensors: at most that of the longest in place.
  std::int64_t ns_without_new(const Calls& calls) const {
    std::int64_t longest = 0;
    for (const auto& [name, other] : by_name)
      if (other.in_place) longest = std::max(longest, other.ns);
    const bool judged = longest > 0 && !calls.in_place && !calls.is_product;
    return judged ? std::min(calls.ns, longest) : calls.ns;
  }
  // Sums over its operations: their time, their time without the memory of new tensors, and the time of products,
  // which is a part of both.
  struct Sums {
    double all = 0, without_new = 0, products = 0;
  };
  Sums sums() const {
    Sums out;
    for (const auto& [name, calls] : by_name) {
      out.all += static_cast<double>(calls.ns);
      out.without_new += static_cast<double>(ns_without_new(calls));
      if (calls.is_product) out.products += static_cast<double>(calls.ns);
    }
    return out;
  }
  // Returns the share of its operations' time that asks for the memory of new tensors.
  double new_memory_share() const {
    const Sums of = sums();
    return of.all > 0 ? 1 - of.without_new / of.all : 0;
  }
  // Returns how often each operation that takes a twentieth of the time or more runs, ascending: some
  // pass over the parameters several times.
  std::vector<std::uint64_t> passes() const {
    const double all = sums().without_new;
    std::vector<std::uint64_t> out;
    for (const auto& [name, calls] : by_name)
      if (!calls.is_product && static_cast<double>(ns_without_new(calls)) >= kPartOfPass * all)
        out.push_back(calls.count);
    std::ranges::sort(out);
    return out;
  }
  // Returns the share of what they compute that a fused step computes: each of k passes reads and writes
  // some three values, and a fused one k and two.
  double fused_traffic() const {
    const Sums of = sums();
    if (of.all == 0) return 1;
    const double each = std::max(kFusedTraffic, 2 / (1 + static_cast<double>(passes().size())));
    return (of.products + each * (of.without_new - of.products)) / of.all;
  }
  // Returns the share of the other phases' time that goes at best, with the pages that are not cleared.
  double goes_elsewhere() const {
    double all = 0;
    for (const auto& [cause, phases] : elsewhere)
      for (const auto& [phase, ns] : phases) all += static_cast<double>(ns);
    const double pages = kGoesBesideFaults * new_memory_share() * static_cast<double>(computing);
    return all > 0 ? std::min(1 - kLeastLeft, pages / all) : 0;
  }
  // Returns the share of the way between its operations that a fused step takes.
  double fused_way() const {
    const std::vector<std::uint64_t> counts = passes();
    if (counts.empty() || operations == 0) return 1;
    const auto parameters = static_cast<double>(counts[counts.size() / 2]);
    return std::min(1.0, (kFusedWays * static_cast<double>(steps) + kFusedWaysEach * parameters) /
                             static_cast<double>(operations));
  }
};

// Outermost operations of the loop's thread in these times, in order.
void count_operations(const JudgedRun& run, const std::vector<Interval>& times, CpuOptimizer& out) {
  const HostRanges& h = run.trace.host_ranges();
  const Rows rows = run.trace.ranges_of(run.steps.thread);
  std::size_t at = 0;
  std::int64_t until = 0;
  for (RangeId r = rows.begin; r < rows.end; ++r) {
    if (h.kind[r] != HostKind::op || h.begin[r] < until) continue;
    while (at < times.size() && times[at].end <= h.begin[r]) ++at;
    if (at == times.size()) return;
    if (h.begin[r] < times[at].begin) continue;
    ++out.operations;
    CpuOptimizer::Calls& calls = out.by_name[h.name[r]];
    calls.ns += h.end[r] - h.begin[r];
    ++calls.count;
    const std::string_view name = run.trace.text(h.name[r]);
    calls.in_place = name.ends_with('_');
    calls.is_product = classify_cpu_op(name) == Cause::host_compute_gemm;
    out.fused |= is_fused_optimizer(name);
    until = h.end[r];
  }
}

// Returns how often an optimizer stepped in the counted steps; their number where none of PyTorch's did.
std::size_t counted_optimizer_scopes(const JudgedRun& run) {
  const HostRanges& h = run.trace.host_ranges();
  std::size_t out = 0;
  for (RangeId r = 0; r < h.size(); ++r)
    if (h.kind[r] == HostKind::user_scope && run.counts(h.begin[r]) &&
        run.trace.text(h.name[r]).starts_with("Optimizer.step#"))
      ++out;
  return out > 0 ? out : run.summary.counted.size();
}

CpuOptimizer cpu_optimizer(const JudgedRun& run) {
  CpuOptimizer out(run);
  out.steps = counted_optimizer_scopes(run);
  std::vector<Interval> times;
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!is_host(s.cause) || !run.counts(s.time.begin)) continue;
    if (!run.optimizer_phases[s.phase]) {
      if (may_take_new_pages(s.cause)) out.elsewhere[s.cause][s.phase] += s.time.length();
      continue;
    }
    times.push_back(s.time);
    // What else the thread does or waits for there, a fused operation would not make shorter.
    if (!is_host_compute(s.cause) && !is_between_operations(s.cause)) continue;
    (is_host_compute(s.cause) ? out.computing : out.around) += s.time.length();
    out.price.add(s, s.time.length());
    out.by_cause[index_of(s.cause)] += s.time.length();
    out.segments.push_back(i);
  }
  count_operations(run, unite(std::move(times)), out);
  return out;
}

// The time of the other phases stays as it is; at best less of it is left.
void add_what_goes_elsewhere(const CpuOptimizer& work, Finding& out) {
  const double goes = work.goes_elsewhere();
  if (goes < kSmallPart) return;
  for (const auto& [cause, phases] : work.elsewhere) {
    Fix fix{.kind = FixKind::scale_work, .factor = 1, .factor_low = 1 - goes, .factor_high = 1};
    fix.scope.cause = cause;
    for (const auto& [phase, ns] : phases) fix.scope.phases.push_back(phase);
    fix.finding = kUnfusedOptimizer;
    out.fixes.push_back(fix);
  }
}

// Each of its operations reads and writes its tensors once, a fused one all of them once.
Finding cpu_finding(const JudgedRun& run, const CpuOptimizer& work) {
  const double computing = run.per_step(work.computing);
  const double around = run.idle_per_step(work.around);
  Finding out = work.price.finding(computing + around);
  const double way = work.fused_way();
  const double traffic = work.fused_traffic();
  out.ceiling_ns_per_step = (1 - traffic) * computing + (1 - way) * around;
  out.count_per_step = run.count_per_step(work.operations);
  out.title = fmt::format(
      "the optimizer's step is {:.0f} operations, {} for each parameter: {} a step ({}), {} "
      "of it between them",
      out.count_per_step, work.passes().size() > 1 ? "several" : "one",
      format_duration(computing + around), percent(run.share(computing + around)),
      format_duration(around));
  const auto scaled = [&work](Cause cause, double factor, double low, double high) {
    Fix fix{.kind = FixKind::scale_work, .factor = factor, .factor_low = low, .factor_high = high};
    fix.scope.cause = cause;
    for (const auto& [phase, ns] : work.price.by_phase()) fix.scope.phases.push_back(phase);
    fix.finding = kUnfusedOptimizer;
    return fix;
  };
  const bool is_lbfgs = optimizer_name(run) == "LBFGS";
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    const auto cause = static_cast<Cause>(i);
    if (static_cast<double>(work.by_cause[i]) <
        kSmallPart * static_cast<double>(work.price.total()))
      continue;
    if (is_lbfgs && (is_host_compute(cause) || is_between_operations(cause)))
      out.fixes.push_back(scaled(cause, 0.75, 0.5, 1));
    else if (is_host_compute(cause))
      out.fixes.push_back(scaled(cause, traffic, traffic / 2, std::max(0.9, traffic)));
    else if (is_between_operations(cause))
      out.fixes.push_back(scaled(cause, way, way / 2, std::min(1.0, 2 * way)));
  }
  if (!is_lbfgs) add_what_goes_elsewhere(work, out);
  advise_on_optimizer(run, OptimizerRuns::on_cpu, out);
  out.certainty = Certainty::assumption;
  return out;
}

}  // namespace

Judgement judge_optimizer_operations(const JudgedRun& run) {
  const CpuOptimizer work = cpu_optimizer(run);
  if (work.price.total() == 0) return cleared("no time is in an optimizer's phase");
  const double operations = run.count_per_step(work.operations);
  if (work.fused || (operations < kLeastOperations && work.passes().size() < kManyPasses))
    return cleared(fmt::format("the optimizer is {:.0f} operations a step already", operations));
  Finding finding = cpu_finding(run, work);
  if (finding.ceiling_ns_per_step < run.least_ns())
    return cleared(
        fmt::format("{:.0f} operations a step, but fusing them would give {} at most ({})",
                    operations, format_duration(finding.ceiling_ns_per_step),
                    percent(run.share(finding.ceiling_ns_per_step))));
  return fired(std::move(finding), whole_segments(run, work.segments));
}

}  // namespace stepscope::rules
