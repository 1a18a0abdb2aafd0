// SPDX-License-Identifier: Apache-2.0
// Comparisons for every writer: a step that lost a copy and a wait, fused its optimizer and gained
// an evaluation; several runs a side; and two runs that cannot be compared.
#pragma once

#include "tests/core/compare/sample_sides.hpp"

namespace stepscope::samples {

inline Summary before(std::int64_t more_ns = 0) {
  constexpr std::int64_t us = 10'000;  // over 10 steps
  Summary side = side_of_cells(
      {{.ns = 9'000 * us + more_ns, .calls = 480},
       {.cause = Cause::gpu_elementwise,
        .phase = "optimizer",
        .line = 30,
        .operation = "mul_kernel",
        .ns = 700 * us,
        .calls = 700},
       {.cause = Cause::gpu_elementwise,
        .phase = "optimizer",
        .line = 30,
        .operation = "add_kernel",
        .ns = 500 * us,
        .calls = 700},
       {.cause = Cause::copy_h2d_pageable,
        .phase = "data",
        .line = 5,
        .operation = "Memcpy HtoD",
        .ns = 1'500 * us,
        .calls = 10,
        .function = "load"},
       {.cause = Cause::host_sync_return,
        .phase = "loss",
        .line = 20,
        .operation = "cudaStreamSynchronize",
        .ns = 800 * us,
        .calls = 10},
       {.cause = Cause::host_python, .phase = "data", .line = 0, .operation = "", .ns = 100 * us}});
  side.run.path = "before.scope";
  side.run.versions = {{"driver", "570.86"}};
  side.partition.bound = Bound::host;
  side.partition.p50_ns = 12'500'000;
  side.counts = {{"kernels", 1'890, 189, 189}, {"bytes_h2d", 41'943'040, 4'194'304, 4'194'304}};
  return side;
}

inline Summary after(std::int64_t more_ns = 0) {
  constexpr std::int64_t us = 10'000;
  Summary side = side_of_cells(
      {{.line = 14, .ns = 9'100 * us + more_ns, .calls = 480},
       {.cause = Cause::gpu_elementwise,
        .phase = "optimizer",
        .line = 34,
        .operation = "void fused_adam<float, 4>(float*)",
        .ns = 300 * us,
        .calls = 10},
       {.cause = Cause::gpu_select,
        .phase = "eval",
        .line = 50,
        .operation = "topk_kernel",
        .ns = 250 * us,
        .calls = 10,
        .function = "evaluate"},
       {.cause = Cause::host_python, .phase = "data", .line = 0, .operation = "", .ns = 100 * us}});
  side.run.path = "after.scope";
  side.run.versions = {{"driver", "580.65"}};
  side.partition.bound = Bound::device;
  side.partition.p50_ns = 9'700'000;
  side.counts = {{"kernels", 500, 50, 50}, {"bytes_h2d", 41'943'040, 4'194'304, 4'194'304}};
  return side;
}

inline Comparison faster() {
  return compare(before(), after());
}

inline Comparison several_runs() {
  return compare_runs({before(), before(3'000'000), before(-2'000'000)},
                      {after(), after(1'000'000), after(-4'000'000)});
}

inline Comparison unlike_devices() {
  Summary other = after();
  other.run.device = "NVIDIA A100-SXM4-80GB";
  other.run.world_size = 8;
  return compare(before(), other);
}

}  // namespace stepscope::samples
