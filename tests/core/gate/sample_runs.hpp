// SPDX-License-Identifier: Apache-2.0
// Hand-made runs of a training loop, as a report would sum them up: sound sums, work on two lines,
// counts. What differs between runs is said; the rest is equal.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope::gate_samples {

struct Shape {
  double step_ms = 40;
  std::uint64_t steps = 20;
  std::uint64_t kernels = 100;  // a step
  std::uint64_t syncs = 1;
  double topk_share = 0.1;
  double clock_mhz = 1980;
  std::string device = "NVIDIA H100 80GB HBM3";
  std::string uuid = "GPU-1";
  std::int64_t begin_ns = 1'700'000'000'000'000'000;
};

inline void add_steps(const Shape& shape, std::int64_t step_ns, Summary& out) {
  out.steps.found_by = FoundBy::profiler_step;
  out.steps.confidence = 1;
  for (std::uint64_t i = 0; i < shape.steps; ++i) {
    Step step;
    step.id = static_cast<std::int64_t>(i);
    step.window.begin = shape.begin_ns + step.id * step_ns;
    step.window.end = step.window.begin + step_ns;
    step.host = step.window;
    step.steady = true;
    out.counted.push_back(static_cast<std::uint32_t>(i));
    out.steps.list.push_back(step);
  }
  out.step_parts.resize(shape.steps);
}

inline void add_cell(Summary& out, Cause cause, const char* phase, std::uint32_t line,
                     const char* operation, std::int64_t ns_a_step, std::uint64_t calls_a_step) {
  const auto steps = static_cast<std::int64_t>(out.counted.size());
  out.cells.push_back({.cause = cause,
                       .phase = phase,
                       .phase_path = phase,
                       .file = "train.py",
                       .line = line,
                       .ns_total = ns_a_step * steps,
                       .function = "step",
                       .operation = operation,
                       .calls_total = calls_a_step * out.counted.size()});
  out.partition.parts.push_back({cause, ns_a_step * steps});
  for (auto& parts : out.step_parts) parts[index_of(cause)] += ns_a_step;
}

// All of it at one line.
inline void add_count(Summary& out, const char* name, std::uint64_t a_step, std::uint32_t line,
                      const char* operation) {
  const std::uint64_t total = a_step * out.counted.size();
  out.counts.push_back({name, total, a_step, a_step});
  if (total > 0)
    out.counts.back().places = {{"train.py", line, "step", operation, Direction::none, total}};
}

inline Summary run(const Shape& shape = {}, const std::string& path = "run.scope") {
  Summary out;
  const auto step_ns = static_cast<std::int64_t>(std::llround(shape.step_ms * 1e6));
  const auto steps = static_cast<std::int64_t>(shape.steps);
  out.run = {.path = path,
             .source = "stepscope",
             .device = shape.device,
             .device_uuid = shape.uuid,
             .device_count = 1};
  add_steps(shape, step_ns, out);
  const auto topk = static_cast<std::int64_t>(std::llround(shape.topk_share * shape.step_ms * 1e6));
  const std::int64_t wait = static_cast<std::int64_t>(shape.syncs) * 100'000;
  add_cell(out, Cause::gpu_gemm, "forward", 10, "gemm", step_ns - topk - wait, shape.kernels);
  add_cell(out, Cause::gpu_select, "topk", 20, "batch_topk", topk, 1);
  if (wait > 0)
    add_cell(out, Cause::host_sync_return, "forward", 30, "cudaStreamSynchronize", wait,
             shape.syncs);
  PartitionSummary& p = out.partition;
  p.steps_counted = shape.steps;
  p.wall_ns_total = step_ns * steps;
  p.p50_ns = p.p90_ns = step_ns;
  p.device_busy_ns_total = (step_ns - wait) * steps;
  const std::int64_t forward = (step_ns - topk) * steps;
  out.phases = {{"forward", "", "forward", 0, forward, forward, 0, 0, 0, shape.steps, 1},
                {"topk", "", "topk", 0, topk * steps, topk * steps, 0, 0, 0, shape.steps, 1}};
  add_count(out, "kernels", shape.kernels + 1, 10, "gemm");
  add_count(out, "host_syncs", shape.syncs, 30, "cudaStreamSynchronize");
  out.device_health.push_back(
      {.device = 0,
       .samples = 40,
       .sm_clock_mhz = ClockSpread{shape.clock_mhz, shape.clock_mhz, shape.clock_mhz, 1980}});
  return out;
}

// Runs of the given step times in ms, each a recording of its own.
inline std::vector<Summary> runs(const std::vector<double>& step_ms, Shape shape = {},
                                 const std::string& name = "run") {
  std::vector<Summary> out;
  for (const double ms : step_ms) {
    shape.step_ms = ms;
    shape.begin_ns += 60'000'000'000;
    out.push_back(run(shape, name + std::to_string(out.size() + 1) + ".scope"));
  }
  return out;
}

// As runs(), on another day.
inline std::vector<Summary> later_runs(const std::vector<double>& step_ms, Shape shape = {}) {
  shape.begin_ns += 86'400'000'000'000;
  return runs(step_ms, shape, "later");
}

}  // namespace stepscope::gate_samples
