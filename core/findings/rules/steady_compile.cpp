// SPDX-License-Identifier: Apache-2.0
// steady_compile: code is compiled, tuned or loaded in steps behind warm-up: torch.compile meets
// new shapes, a kernel is loaded at its first launch, Triton tunes.
//
//   fires where   idle >= least, in two counted steps or more
//   idle          time that host.module_load owns, and other idle time of the device in which the
//                 host compiles (core/steps/compilation.hpp): compiling that hides behind queued
//                 work costs nothing
//   one step      alone is cleared with its cost: it is late warm-up, and does not come again
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/findings/advice/advice.hpp"
#include "core/findings/host_time.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kSteadyCompile = "steady_compile";
constexpr std::uint64_t kFewestSteps = 2;

struct CompiledSteps {
  explicit CompiledSteps(const JudgedRun& run) : compiling(run), price(run) {}
  Compiling compiling;
  Price price;
  Explained parts;
  std::uint64_t steps = 0;  // counted ones in which the device idled for it
};

std::uint64_t steps_with(const JudgedRun& run, const std::vector<Interval>& parts) {
  std::uint64_t steps = 0;
  for (const std::uint32_t row : run.summary.counted) {
    const Interval window = run.steps.list[row].window;
    const bool any = std::any_of(parts.begin(), parts.end(), [&window](const Interval& part) {
      return window.contains(part.begin);
    });
    if (any) ++steps;
  }
  return steps;
}

CompiledSteps find_compiled_steps(const JudgedRun& run) {
  CompiledSteps out(run);
  std::vector<Interval> idle;
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!run.counts(s.time.begin)) continue;
    const std::int64_t ns = out.compiling.ns_in(s);
    if (ns <= 0) continue;
    out.price.add(s, ns);
    out.parts.emplace_back(i, ns);
    idle.push_back(s.time);
  }
  out.steps = steps_with(run, idle);
  return out;
}

std::string why_no_compiling(const JudgedRun& run, const CompiledSteps& compiled, double time) {
  if (compiled.compiling.times.empty())
    return "nothing was compiled or loaded in the counted steps";
  if (time < run.least_ns())
    return fmt::format("compiling and loading {} {} a step ({})",
                       run.has_device ? "leave the device idle for" : "take", format_duration(time),
                       percent(run.share(time)));
  return fmt::format(
      "in one of {} counted steps the {} {} for code that is compiled or loaded: late warm-up, "
      "unless a longer run has more of it",
      run.summary.counted.size(), run.has_device ? "device idles" : "loop stops",
      format_duration(static_cast<double>(compiled.price.total())));
}

}  // namespace

Judgement judge_steady_compile(const JudgedRun& run) {
  const CompiledSteps compiled = find_compiled_steps(run);
  const Price& price = compiled.price;
  const double time = run.idle_per_step(price.total());
  if (time < run.least_ns() || compiled.steps < kFewestSteps)
    return cleared(why_no_compiling(run, compiled, time));
  Finding finding = price.finding(time);
  finding.count_per_step = run.count_per_step(compiled.steps);
  finding.title = fmt::format(
      "in {} of {} counted steps the {} while code is compiled or loaded: {} a step ({})",
      compiled.steps, run.summary.counted.size(), run.has_device ? "device idles" : "loop stops",
      format_duration(time), percent(run.share(time)));
  Fix once;
  once.kind = FixKind::drop_work;
  once.scope.host_times = compiled.compiling.times;
  once.finding = kSteadyCompile;
  finding.fixes = {once};
  advise(Advice::steady_compile, run.language, finding);
  finding.falsified_by = "a longer run has fewer such steps: then it was warm-up";
  finding.certainty = Certainty::trace_verified;
  return fired(std::move(finding), compiled.parts);
}

}  // namespace stepscope::rules
