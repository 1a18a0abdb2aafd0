// SPDX-License-Identifier: Apache-2.0
#include "core/findings/rules/steady_alloc.hpp"

#include <fmt/format.h>

#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kSteadyAlloc = "steady_alloc";

std::uint64_t allocations(const Scene& scene) {
  for (const WorkCount& count : scene.summary.counts)
    if (count.name == "allocations") return count.total;
  return 0;
}

Finding alloc_finding(const Scene& scene, const Price& price, double idle) {
  Finding out = price.finding(kSteadyAlloc, idle);
  out.count_per_step = scene.count_per_step(allocations(scene));
  out.title = fmt::format(
      "the driver allocates or frees memory {} a step behind warm-up, and the device idles {} for "
      "it",
      counted_text(scene, allocations(scene), "time"), format_duration(idle));
  Fix without;
  without.kind = FixKind::hoist_invariant;
  without.scope.sites = price.largest_sites(0.02);
  without.scope.cause = Cause::host_alloc;
  out.fixes = {without};
  out.fix =
      "allocate once: pinned buffers and workspaces before the loop; let the allocator keep memory "
      "(no torch.cuda.empty_cache() in the loop); pad changing shapes to few sizes, or set "
      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
  out.code_hint = "buffer = torch.empty(shape, pin_memory=True)   # once\nbuffer.copy_(batch)";
  out.falsified_by = "the calls go away and the step is as long as before";
  out.certainty = scene.inflated ? Certainty::assumption : Certainty::trace_verified;
  return out;
}

}  // namespace

void judge_steady_alloc(Scene& scene, Findings& out) {
  Price price(scene);
  for (std::size_t i = 0; i < scene.segments().size(); ++i) {
    const Segment& s = scene.segments()[i];
    if (s.cause == Cause::host_alloc && scene.counts(s.time.begin)) price.add(s, s.time.length());
  }
  const double idle = scene.idle_per_step(price.total());
  if (idle >= scene.least_ns()) {
    for (std::size_t i = 0; i < scene.segments().size(); ++i)
      if (scene.segments()[i].cause == Cause::host_alloc)
        scene.explain(i, scene.segments()[i].time.length());
    return add_finding(scene, alloc_finding(scene, price, idle), out);
  }
  const std::uint64_t calls = allocations(scene);
  if (calls == 0)
    return clear(out, kSteadyAlloc, "no allocation by the driver in the counted steps");
  clear(out, kSteadyAlloc,
        fmt::format("{} a step cost {} ({})", counted_text(scene, calls, "allocation"),
                    format_duration(idle), percent(scene.share(idle))));
}

}  // namespace stepscope::rules
