// SPDX-License-Identifier: Apache-2.0
#include "core/findings/rules/unfused_optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kUnfusedOptimizer = "unfused_optimizer";
constexpr double kUnfusedOptimizerLeastKernels = 50;
constexpr double kFusedTraffic = 1.0 / 3;
constexpr double kLaunchFloorNs = 1'500;  // of a kernel's time, whatever it does

struct OptimizerWorkload {
  explicit OptimizerWorkload(const Scene& scene) : price(scene) {}
  Price price;
  std::uint64_t kernels = 0;
  std::int64_t kernel_ns = 0;
  std::int64_t fused_ns = 0;
  std::int64_t exposed = 0;
  std::int64_t idle = 0;
  std::vector<std::size_t> idle_segments;
};

bool is_fused_kernel(std::string_view name) {
  return name.find("multi_tensor") != std::string_view::npos ||
         name.find("Fused") != std::string_view::npos ||
         name.find("fused") != std::string_view::npos;
}

void add_optimizer_kernels(const Scene& scene, OptimizerWorkload& out) {
  const DeviceOps& d = scene.trace.device_ops();
  std::map<StringId, bool> fused;
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (d.kind[op] != DeviceOpKind::kernel ||
        !scene.optimizer_phases[scene.attribution.ops[op].phase])
      continue;
    if (!scene.counts(d.begin[op])) continue;
    const auto [at, is_new] = fused.try_emplace(d.name[op], false);
    if (is_new) at->second = is_fused_kernel(scene.trace.text(d.name[op]));
    ++out.kernels;
    out.kernel_ns += d.end[op] - d.begin[op];
    if (at->second) out.fused_ns += d.end[op] - d.begin[op];
  }
}

OptimizerWorkload optimizer_workload(const Scene& scene) {
  OptimizerWorkload out(scene);
  add_optimizer_kernels(scene, out);
  for (std::size_t i = 0; i < scene.segments().size(); ++i) {
    const Segment& s = scene.segments()[i];
    if (!scene.optimizer_phases[s.phase] || !scene.counts(s.time.begin)) continue;
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

// What fused kernels read and write takes as long in them; what each kernel takes at least goes.
double stays_of(const OptimizerWorkload& work, double exposed) {
  const double each = static_cast<double>(work.kernel_ns) / static_cast<double>(work.kernels);
  return kFusedTraffic * exposed * std::max(0.0, 1 - kLaunchFloorNs / std::max(1.0, each));
}

Finding optimizer_finding(const Scene& scene, const OptimizerWorkload& work, double idle,
                          double exposed) {
  Finding out = work.price.finding(kUnfusedOptimizer, idle + exposed);
  out.ceiling_ns_per_step = idle + exposed - stays_of(work, exposed);
  out.count_per_step = scene.count_per_step(work.kernels);
  out.title = fmt::format(
      "the optimizer's step is {:.0f} kernels of {} each: {} of device work, and {} in which the "
      "device waits for their launches",
      out.count_per_step,
      format_duration(static_cast<double>(work.kernel_ns) / static_cast<double>(work.kernels)),
      format_duration(exposed), format_duration(idle));
  Fix fuse;
  fuse.kind = FixKind::fuse_optimizer;
  for (const auto& [phase, ns] : work.price.by_phase()) fuse.scope.phases.push_back(phase);
  out.fixes = {fuse};
  out.fix =
      "use the fused form of the optimizer (one kernel for many parameters), else foreach=True; "
      "both "
      "compute the same update";
  out.code_hint = "torch.optim.AdamW(model.parameters(), lr=lr, fused=True)";
  out.falsified_by =
      fmt::format("with fused=True the optimizer's phase does not become shorter by up to {}",
                  format_duration(out.ceiling_ns_per_step));
  out.certainty = scene.inflated && idle > exposed ? Certainty::assumption : Certainty::inferred;
  return out;
}

}  // namespace

void judge_unfused_optimizer(Scene& scene, Findings& out) {
  const OptimizerWorkload work = optimizer_workload(scene);
  if (work.kernels == 0)
    return clear(out, kUnfusedOptimizer, "no kernel ran in an optimizer's phase");
  const double kernels = scene.count_per_step(work.kernels);
  if (2 * work.fused_ns >= work.kernel_ns || kernels < kUnfusedOptimizerLeastKernels)
    return clear(out, kUnfusedOptimizer,
                 fmt::format("the optimizer is {:.0f} kernels a step already", kernels));
  const double idle = scene.idle_per_step(work.idle);
  const double exposed = scene.per_step(work.exposed);
  const double ceiling = idle + exposed - stays_of(work, exposed);
  if (ceiling < scene.least_ns()) {
    return clear(out, kUnfusedOptimizer,
                 fmt::format("{:.0f} kernels a step, but fusing them would give {} at most ({})",
                             kernels, format_duration(ceiling), percent(scene.share(ceiling))));
  }
  for (const std::size_t i : work.idle_segments) scene.explain(i, scene.unexplained_ns(i));
  add_finding(scene, optimizer_finding(scene, work, idle, exposed), out);
}

}  // namespace stepscope::rules
