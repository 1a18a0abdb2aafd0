// SPDX-License-Identifier: Apache-2.0
#include "core/findings/rules/steady_compile.hpp"

#include <fmt/format.h>

#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kSteadyCompile = "steady_compile";

struct Compiling {
  std::int64_t ns = 0;
  std::uint64_t steps = 0;
};

Compiling compiling_in_steps(const Scene& scene) {
  Compiling out;
  for (const std::uint32_t row : scene.summary.counted) {
    const std::int64_t ns = scene.steps.list[row].compile_ns;
    out.ns += ns;
    out.steps += ns > 0 ? 1 : 0;
  }
  return out;
}

}  // namespace

void judge_steady_compile(Scene& scene, Findings& out) {
  Price price(scene);
  for (const Segment& s : scene.segments())
    if (s.cause == Cause::host_module_load && scene.counts(s.time.begin))
      price.add(s, s.time.length());
  const Compiling compiling = compiling_in_steps(scene);
  const double time = scene.idle_per_step(std::max(price.total(), compiling.ns));
  if (time < scene.least_ns() || time == 0) {
    if (time == 0)
      return clear(out, kSteadyCompile, "nothing was compiled or loaded in the counted steps");
    return clear(out, kSteadyCompile,
                 fmt::format("compiling and loading take {} a step ({})", format_duration(time),
                             percent(scene.share(time))));
  }
  Finding finding = price.finding(kSteadyCompile, time);
  finding.count_per_step = scene.count_per_step(compiling.steps);
  finding.title = fmt::format(
      "code is compiled or loaded in {} of {} counted steps: {} a step ({})", compiling.steps,
      scene.summary.counted.size(), format_duration(time), percent(scene.share(time)));
  Fix once;
  once.kind = FixKind::hoist_invariant;
  once.scope.cause = Cause::host_module_load;
  finding.fixes = {once};
  finding.fix =
      "keep shapes the same (pad to few sizes, drop the last short batch, mark what changes as "
      "dynamic), and run each form of the step once before it counts; TORCH_LOGS=recompiles names "
      "what changed";
  finding.code_hint =
      "loader = DataLoader(dataset, drop_last=True)\n"
      "torch._dynamo.mark_dynamic(batch, 0)";
  finding.falsified_by = "a longer run has fewer such steps: then it was warm-up";
  finding.certainty = price.total() > 0 ? Certainty::trace_verified : Certainty::inferred;
  if (finding.evidence.empty()) finding.link_rate.reset();
  add_finding(scene, std::move(finding), out);
}

}  // namespace stepscope::rules
