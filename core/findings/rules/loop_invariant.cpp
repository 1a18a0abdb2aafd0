// SPDX-License-Identifier: Apache-2.0
// loop_invariant: a line builds the same constant on the device in every step: a causal mask,
// position indices, an identity matrix.
//
//   a candidate   a line (or, where only frames were recorded, a function) that launches a kernel
//                 which takes no input tensor (arange, eye, linspace) or makes a triangle (triu,
//                 tril), as often in each step, and nothing but element-wise kernels beside it
//   fires where   time that these lines own in the partition >= least; severity `info`: that the
//                 result is the same each time is not in the trace
//   cleared       with what it costs otherwise
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "core/findings/advice/advice.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

bool makes_constant(std::string_view kernel) {
  std::string lower(kernel);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* word : {"triu", "tril", "arange", "linspace", "eye_kernel", "range_cuda"})
    if (lower.find(word) != std::string::npos) return true;
  return false;
}

struct LineKernels {
  std::uint64_t constants = 0;
  bool only_small_work = true;  // element-wise kernels, sets and copies on the device
};

SiteId site_of_launch(const JudgedRun& run, DeviceOpId op) {
  const CallId call = run.trace.launch_of(op);
  return call == kNone ? kNone : run.sites[run.trace.calls().range[call]];
}

std::map<SiteId, LineKernels> kernels_by_line(const JudgedRun& run) {
  std::map<SiteId, LineKernels> out;
  std::map<StringId, bool> constant;
  const DeviceOps& d = run.trace.device_ops();
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (!run.counts_op(op)) continue;
    const SiteId site = site_of_launch(run, op);
    if (site == kNone) continue;
    LineKernels& line = out[site];
    const auto [at, is_new] = constant.try_emplace(d.name[op], false);
    if (is_new) at->second = makes_constant(run.trace.text(d.name[op]));
    if (at->second) ++line.constants;
    const Cause cause = run.attribution.ops[op].cause;
    line.only_small_work &= cause == Cause::gpu_elementwise || cause == Cause::gpu_other ||
                            cause == Cause::copy_set || cause == Cause::copy_d2d;
  }
  return out;
}

std::set<SiteId> candidate_lines(const JudgedRun& run, std::uint64_t& constants) {
  const std::map<SiteId, LineKernels> lines = kernels_by_line(run);
  const std::uint64_t steps = std::max<std::uint64_t>(1, run.summary.counted.size());
  std::set<SiteId> out;
  for (const auto& [site, line] : lines) {
    if (line.constants == 0 || line.constants % steps != 0 || !line.only_small_work) continue;
    constants += line.constants;
    out.insert(site);
  }
  return out;
}

Finding invariant_finding(const JudgedRun& run, const Price& price, double time,
                          std::uint64_t constants) {
  Finding out = price.finding(time);
  out.count_per_step = run.count_per_step(constants);
  out.title = fmt::format(
      "{} a step the same kind of constant (mask, indices) is built on the device: {} ({})",
      counted_text(run, constants, "time"), format_duration(time), percent(run.share(time)));
  Fix hoist;
  hoist.kind = FixKind::hoist_invariant;
  hoist.scope.sites = price.largest_sites(0);
  out.fixes = {hoist};
  advise(Advice::loop_invariant, run.language, out);
  out.falsified_by = "its values differ between steps, or the step keeps its length without it";
  out.certainty = Certainty::assumption;
  return out;
}

}  // namespace

Judgement judge_loop_invariant(const JudgedRun& run) {
  std::uint64_t constants = 0;
  const std::set<SiteId> lines = candidate_lines(run, constants);
  if (lines.empty()) return cleared("no line builds masks or indices in each step");
  Price price(run);
  std::vector<std::size_t> at_lines;
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (s.site == kNone || !lines.contains(s.site)) continue;
    price.add(s, run.unexplained_ns(i));
    at_lines.push_back(i);
  }
  const double time = run.idle_per_step(price.total());
  if (time < run.least_ns()) {
    return cleared(fmt::format("{}: builds constants {} a step, for {} ({})",
                               run.line_text(*lines.begin()), counted_text(run, constants, "time"),
                               format_duration(time), percent(run.share(time))));
  }
  return fired(invariant_finding(run, price, time, constants), whole_segments(run, at_lines));
}

}  // namespace stepscope::rules
