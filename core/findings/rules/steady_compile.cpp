// SPDX-License-Identifier: Apache-2.0
#include "core/findings/rules/steady_compile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/findings/wait_lines.hpp"
#include "core/steps/compilation.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kSteadyCompile = "steady_compile";
constexpr std::uint64_t kFewestSteps = 2;

struct Compiling {
  explicit Compiling(const Scene& scene) : price(scene) {}
  Price price;
  std::vector<std::pair<std::size_t, std::int64_t>> parts;  // segment, ns
  IntervalSet times;                                        // of the host
  std::uint64_t steps = 0;  // counted ones in which the device idled for it
};

IntervalSet compiling_times(const Scene& scene) {
  const HostRanges& h = scene.trace.host_ranges();
  std::vector<Interval> times;
  for (const RangeId range : compilation_ranges(scene.trace, scene.steps.process))
    times.push_back({h.begin[range], h.end[range]});
  return unite(std::move(times));
}

std::int64_t compiling_ns(const IntervalSet& times, const Segment& s) {
  if (s.cause == Cause::host_module_load) return s.time.length();
  return is_host(s.cause) ? total_length(clip(times, s.time)) : 0;
}

std::uint64_t steps_with(const Scene& scene, const std::vector<Interval>& parts) {
  std::uint64_t steps = 0;
  for (const std::uint32_t row : scene.summary.counted) {
    const Interval window = scene.steps.list[row].window;
    const bool any = std::any_of(parts.begin(), parts.end(), [&window](const Interval& part) {
      return window.contains(part.begin);
    });
    if (any) ++steps;
  }
  return steps;
}

Compiling find_compiling(const Scene& scene) {
  Compiling out(scene);
  out.times = compiling_times(scene);
  std::vector<Interval> idle;
  for (std::size_t i = 0; i < scene.segments().size(); ++i) {
    const Segment& s = scene.segments()[i];
    if (!scene.counts(s.time.begin)) continue;
    const std::int64_t ns = compiling_ns(out.times, s);
    if (ns <= 0) continue;
    out.price.add(s, ns);
    out.parts.emplace_back(i, ns);
    idle.push_back(s.time);
  }
  out.steps = steps_with(scene, idle);
  return out;
}

std::string why_no_compiling(const Scene& scene, const Compiling& compiling, double time) {
  if (compiling.times.empty()) return "nothing was compiled or loaded in the counted steps";
  if (time < scene.least_ns())
    return fmt::format("compiling and loading leave the device idle for {} a step ({})",
                       format_duration(time), percent(scene.share(time)));
  return fmt::format(
      "in one of {} counted steps the device idles {} for code that is compiled or loaded: late "
      "warm-up, unless a longer run has more of it",
      scene.summary.counted.size(), format_duration(static_cast<double>(compiling.price.total())));
}

}  // namespace

void judge_steady_compile(Scene& scene, Findings& out) {
  const Compiling compiling = find_compiling(scene);
  const Price& price = compiling.price;
  const double time = scene.idle_per_step(price.total());
  if (time < scene.least_ns() || compiling.steps < kFewestSteps)
    return clear(out, kSteadyCompile, why_no_compiling(scene, compiling, time));
  for (const auto& [segment, ns] : compiling.parts) scene.explain(segment, ns);
  Finding finding = price.finding(kSteadyCompile, time);
  finding.count_per_step = scene.count_per_step(compiling.steps);
  finding.title = fmt::format(
      "in {} of {} counted steps the device idles while code is compiled or loaded: {} a step ({})",
      compiling.steps, scene.summary.counted.size(), format_duration(time),
      percent(scene.share(time)));
  Fix once;
  once.kind = FixKind::drop_work;
  once.scope.host_times = compiling.times;
  once.finding = kSteadyCompile;
  finding.fixes = {once};
  finding.fix =
      "keep shapes the same (pad to few sizes, drop the last short batch, mark what changes as "
      "dynamic), and run each form of the step once before it counts; TORCH_LOGS=recompiles names "
      "what changed";
  finding.code_hint =
      "loader = DataLoader(dataset, drop_last=True)\n"
      "torch._dynamo.mark_dynamic(batch, 0)";
  finding.falsified_by = "a longer run has fewer such steps: then it was warm-up";
  finding.certainty = Certainty::trace_verified;
  add_finding(scene, std::move(finding), out);
}

}  // namespace stepscope::rules
