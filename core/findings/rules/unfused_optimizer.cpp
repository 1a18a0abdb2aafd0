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
// A run without a device is judged in optimizer_operations.cpp.
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/findings/advice/advice.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {

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

bool is_fused_optimizer(std::string_view name) {
  return name.find("Fused") != std::string_view::npos ||
         name.find("fused") != std::string_view::npos;
}

namespace {

constexpr double kUnfusedOptimizerLeastKernels = 50;
constexpr double kLaunchFloorNs = 1'500;  // fixed cost of a kernel, whatever it does
constexpr double kManyLists = 20, kShortListNs = 20'000;

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
    if (is_fused_optimizer(name)) {
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

}  // namespace

Judgement judge_unfused_optimizer(const JudgedRun& run) {
  if (!run.has_device) return judge_optimizer_operations(run);
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
