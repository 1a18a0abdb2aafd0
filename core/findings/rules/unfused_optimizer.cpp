// SPDX-License-Identifier: Apache-2.0
// unfused_optimizer: the optimizer's step is many kernels, several for each parameter or several passes
// over lists of parameters, where a fused one does the same in one pass.
//
//   fires where   less than half of the device time in the optimizer's phase is in fused kernels, and
//                 these are >= 50 a step, or lists of parameters (multi_tensor, `foreach`) that kernels of
//                 >= 4 names pass over, and ceiling >= least
//   ceiling       idle + exposed - stays; stays: a third of what a kernel takes beyond 1.5 us
//   idle          the device waits for the host in that phase, whatever else held the host back
//   exposed       device time of those kernels in the partition
//   1/3           an element-wise Adam reads and writes some 21 values a parameter, a fused one 7
//   groups        lists are short where a kernel of one name is launched >= 20 times a step for < 20 us
//                 each: each group of parameters is a list of its own
//
// Without a device: operations >= 20 a step, or of >= 4 names with a twentieth of their time each, in the
// optimizer's phase, none of them fused; ceiling two thirds of what they compute, and the way between
// them less what a fused step has of it. That still collects its lists in Python, which takes as long as the
// way to 8 operations, and to 1.2 for each parameter: chosen from small tensors on one thread
// (docs/measurements/forecasts.md). LBFGS has no fused form: its forecast is of half its history, and leaves half of its time
// to all
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kUnfusedOptimizer = "unfused_optimizer";
constexpr double kUnfusedOptimizerLeastKernels = 50, kLeastOperations = 20;
// Share of its time: less is too little to be in each replayed sample.
constexpr double kSmallPart = 0.02;
constexpr double kFusedTraffic = 1.0 / 3;
constexpr double kLaunchFloorNs = 1'500;  // fixed cost of a kernel, whatever it does
constexpr double kFusedWays = 8, kFusedWaysEach = 1.2;
constexpr std::size_t kManyPasses = 4;
constexpr double kPartOfPass = 0.05;
constexpr double kManyLists = 20, kShortListNs = 20'000;

// The class of the optimizer whose steps take longest, as PyTorch marks them
// ("Optimizer.step#AdamW.step"); empty where no mark names one.
std::string optimizer_name(const JudgedRun& run) {
  constexpr std::string_view kBefore = "Optimizer.step#", kBehind = ".step";
  const HostRanges& h = run.trace.host_ranges();
  std::map<std::string, std::int64_t> time;
  for (RangeId r = 0; r < h.size(); ++r) {
    const std::string_view name = run.trace.text(h.name[r]);
    if (!name.starts_with(kBefore) || !run.counts(h.begin[r])) continue;
    const std::string_view rest = name.substr(kBefore.size());
    time[std::string(rest.substr(0, rest.rfind(kBehind)))] += h.end[r] - h.begin[r];
  }
  const auto longest = std::max_element(
      time.begin(), time.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return longest == time.end() ? "" : longest->first;
}

void advise_on_optimizer(const JudgedRun& run, OptimizerRuns how, Finding& out) {
  const OptimizerAdvice advice = optimizer_advice(optimizer_name(run), how, run.language);
  out.fix = advice.fix;
  out.code_hint = advice.code_hint;
  out.falsified_by = fmt::format("{} the optimizer's phase does not become shorter by up to {}",
                                 advice.check, format_duration(out.ceiling_ns_per_step));
}

struct OptimizerWorkload {
  explicit OptimizerWorkload(const JudgedRun& run) : price(run) {}
  Price price;
  std::uint64_t kernels = 0;
  std::int64_t kernel_ns = 0;
  std::int64_t fused_ns = 0;
  std::int64_t listed_ns = 0;
  std::map<StringId, std::uint64_t> passes;  // launches over lists of parameters, by kernel
  std::int64_t exposed = 0;
  std::int64_t idle = 0;
  std::vector<std::size_t> idle_segments;

  // A few passes over lists are hardly slower than a fused one.
  bool is_fused() const {
    const bool few = passes.size() < kManyPasses;
    return 2 * (fused_ns + (few ? listed_ns : 0)) >= kernel_ns;
  }
  bool is_in_lists() const { return 2 * listed_ns >= kernel_ns; }
};

bool is_fused_kernel(std::string_view name) {
  return name.find("Fused") != std::string_view::npos ||
         name.find("fused") != std::string_view::npos;
}

bool is_over_lists(std::string_view name) {
  return name.find("multi_tensor") != std::string_view::npos;
}

void add_optimizer_kernels(const JudgedRun& run, OptimizerWorkload& out) {
  const DeviceOps& d = run.trace.device_ops();
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (d.kind[op] != DeviceOpKind::kernel || !run.optimizer_phases[run.attribution.ops[op].phase])
      continue;
    if (!run.counts_op(op)) continue;
    const std::string_view name = run.trace.text(d.name[op]);
    const std::int64_t ns = d.end[op] - d.begin[op];
    ++out.kernels;
    out.kernel_ns += ns;
    if (is_fused_kernel(name)) {
      out.fused_ns += ns;
    } else if (is_over_lists(name)) {
      out.listed_ns += ns;
      ++out.passes[d.name[op]];
    }
  }
}

OptimizerWorkload optimizer_workload(const JudgedRun& run) {
  OptimizerWorkload out(run);
  add_optimizer_kernels(run, out);
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!run.optimizer_phases[s.phase] || !run.counts(s.time.begin)) continue;
    if (is_device_busy(s.cause)) {
      out.exposed += s.time.length();
      out.price.add(s, s.time.length());
    } else if (is_hidden_by_lead(s.cause) || s.cause == Cause::gpu_dispatch_gap) {
      out.idle += s.time.length();
      out.idle_segments.push_back(i);
      out.price.add(s, s.time.length());
    }
  }
  return out;
}

// Returns the time that stays: what fused kernels read and write takes as long in them; what each
// kernel takes at least goes.
double stays_of(const OptimizerWorkload& work, double exposed) {
  const double each = static_cast<double>(work.kernel_ns) / static_cast<double>(work.kernels);
  return kFusedTraffic * exposed * std::max(0.0, 1 - kLaunchFloorNs / std::max(1.0, each));
}

// Where the lists that the optimizer passes over are short, longer ones come first: a fused step of many
// groups is still a call for each.
void advise_on_groups(const JudgedRun& run, const OptimizerWorkload& work, Finding& out) {
  std::uint64_t most = 0;
  for (const auto& [name, launches] : work.passes) most = std::max(most, launches);
  const double lists = run.count_per_step(most);
  const double each = static_cast<double>(work.kernel_ns) / static_cast<double>(work.kernels);
  if (lists < kManyLists || each >= kShortListNs) return;
  out.fix = fmt::format(
      "give parameters with the same settings (lr, weight_decay) one group: each pass is {:.0f} "
      "launches, since each group is updated by itself, and the forecast is of one group. Then {}",
      lists, out.fix);
  out.code_hint =
      "groups = [{'params': decayed}, {'params': others, 'weight_decay': 0}]   # not "
      "one for each tensor\n" +
      out.code_hint;
}

Finding optimizer_finding(const JudgedRun& run, const OptimizerWorkload& work, double idle,
                          double exposed) {
  Finding out = work.price.finding(idle + exposed);
  out.ceiling_ns_per_step = idle + exposed - stays_of(work, exposed);
  out.count_per_step = run.count_per_step(work.kernels);
  const std::string passes =
      work.is_in_lists()
          ? fmt::format("passes over its parameters with {} kernels, one behind the other: ",
                        work.passes.size())
          : "";
  out.title = fmt::format(
      "the optimizer's step {}{}{:.0f} kernels of {} each: {} of device work, and {} in which the "
      "device waits for their launches",
      passes, passes.empty() ? "is " : "", out.count_per_step,
      format_duration(static_cast<double>(work.kernel_ns) / static_cast<double>(work.kernels)),
      format_duration(exposed), format_duration(idle));
  Fix fuse;
  fuse.kind = FixKind::fuse_optimizer;
  for (const auto& [phase, ns] : work.price.by_phase()) fuse.scope.phases.push_back(phase);
  out.fixes = {fuse};
  advise_on_optimizer(
      run, work.is_in_lists() ? OptimizerRuns::on_device_in_lists : OptimizerRuns::on_device, out);
  if (work.is_in_lists()) advise_on_groups(run, work, out);
  out.certainty = run.inflated && idle > exposed ? Certainty::assumption : Certainty::inferred;
  return out;
}

// ---- on a run without a device: operations instead of kernels ---------------------------------
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
  };
  std::map<StringId, Calls> by_name;  // its operations
  bool fused = false;
  PerCause<std::int64_t> by_cause{};
  std::vector<std::size_t> segments;

  // Returns how often each operation that takes a twentieth of the time or more runs, ascending: some
  // pass over the parameters several times.
  std::vector<std::uint64_t> passes() const {
    std::int64_t all = 0;
    for (const auto& [name, calls] : by_name) all += calls.ns;
    std::vector<std::uint64_t> out;
    for (const auto& [name, calls] : by_name)
      if (static_cast<double>(calls.ns) >= kPartOfPass * static_cast<double>(all))
        out.push_back(calls.count);
    std::ranges::sort(out);
    return out;
  }
  // Returns the share of what they compute that a fused step computes: each of k passes reads and writes
  // some three values, and a fused one k and two.
  double fused_traffic() const {
    return std::max(kFusedTraffic, 2 / (1 + static_cast<double>(passes().size())));
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
    out.fused |= is_fused_kernel(run.trace.text(h.name[r]));
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
    if (!run.optimizer_phases[s.phase] || !is_host(s.cause) || !run.counts(s.time.begin)) continue;
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
  advise_on_optimizer(run, OptimizerRuns::on_cpu, out);
  out.certainty = Certainty::assumption;
  return out;
}

Judgement judge_on_cpu(const JudgedRun& run) {
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

}  // namespace

Judgement judge_unfused_optimizer(const JudgedRun& run) {
  if (!run.has_device) return judge_on_cpu(run);
  const OptimizerWorkload work = optimizer_workload(run);
  if (work.kernels == 0) return cleared("no kernel ran in an optimizer's phase");
  const double kernels = run.count_per_step(work.kernels);
  if (work.is_fused() || (!work.is_in_lists() && kernels < kUnfusedOptimizerLeastKernels))
    return cleared(fmt::format("the optimizer is {:.0f} kernels a step already", kernels));
  const double idle = run.idle_per_step(work.idle);
  const double exposed = run.per_step(work.exposed);
  const double ceiling = idle + exposed - stays_of(work, exposed);
  if (ceiling < run.least_ns()) {
    return cleared(fmt::format("{:.0f} kernels a step, but fusing them would give {} at most ({})",
                               kernels, format_duration(ceiling), percent(run.share(ceiling))));
  }
  return fired(optimizer_finding(run, work, idle, exposed),
               whole_segments(run, work.idle_segments));
}

}  // namespace stepscope::rules
