// SPDX-License-Identifier: Apache-2.0
// Results of rungs made by hand.
#pragma once

#include "core/ladder/ladder.hpp"

namespace stepscope::samples {

inline TrainedRun trained(double tokens_per_s, std::vector<double> losses = {6, 5, 4}) {
  TrainedRun run;
  run.preset = "tiny";
  run.device = "cuda:0";
  run.tokens_per_s = tokens_per_s;
  run.ms_per_step = 1e6 / tokens_per_s;
  run.mfu = tokens_per_s / 1e6;
  run.tokens_a_step = 1000;
  run.timed_steps = 10;
  run.peak_bytes = 2'000'000'000;
  run.losses = std::move(losses);
  return run;
}

// So many steps whose parts, over all of them, are these.
inline Summary profiled(std::uint64_t steps, std::vector<PartSum> parts) {
  Summary summary;
  summary.run.device = "NVIDIA H100";
  summary.partition.steps_counted = steps;
  for (const PartSum& part : parts) summary.partition.wall_ns_total += part.ns_total;
  summary.partition.parts = std::move(parts);
  return summary;
}

inline RungRuns runs_of(const char* id, const char* name, std::vector<double> rates) {
  RungRuns out;
  out.rung = {id, name, std::string("switches on ") + name};
  for (const double rate : rates) out.runs.push_back(trained(rate));
  return out;
}

// R1 is faster, R2 does nothing, R3 could not run, R4 is slower than R2.
inline std::vector<RungRuns> five_rungs() {
  std::vector<RungRuns> rungs = {
      runs_of("R0", "naive", {100, 102, 101}), runs_of("R1", "tf32", {300, 305, 304}),
      runs_of("R2", "idle", {301, 304, 305}), runs_of("R3", "absent", {}),
      runs_of("R4", "worse", {200, 202, 201})};
  rungs[3].failure = "needs a GPU";
  rungs[0].profile = profiled(3, {{Cause::gpu_gemm, 20'000'000}, {Cause::host_python, 10'000'001}});
  rungs[1].profile = profiled(2, {{Cause::gpu_gemm, 4'000'000}, {Cause::host_python, 6'600'001}});
  rungs[4].profile = profiled(2, {{Cause::gpu_gemm, 4'000'000}, {Cause::copy_d2h, 1}});
  return rungs;
}

}  // namespace stepscope::samples
