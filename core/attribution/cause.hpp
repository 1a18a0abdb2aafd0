// SPDX-License-Identifier: Apache-2.0
// The causes that own wall time. Names are stable ids: JSON, diff, gate and viewer use them alike.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

enum class Cause : std::uint8_t {
  // the device works
  gpu_gemm,
  gpu_attention,
  gpu_select,
  gpu_reduce,
  gpu_elementwise,
  gpu_optimizer,
  gpu_other,
  comm_transfer,
  comm_late_rank,
  copy_h2d_pageable,
  copy_h2d_pinned,
  copy_d2h,
  copy_d2d,
  copy_set,
  // the device is idle although work was issued
  gpu_dispatch_gap,
  graph_gap,
  launch_latency,
  gpu_wait_peer,  // for work of another device; in partitions by device only
  gpu_shared,     // while other processes have the device, too
  // the device is idle (or there is none): the host decides
  host_python,
  host_framework,
  host_compute_gemm,
  host_compute_attention,
  host_compute_select,
  host_compute_reduce,
  host_compute_elementwise,
  host_compute_optimizer,
  host_compute_other,
  host_between_calls,
  host_launch_api,
  host_queue_full,
  host_sync_return,
  host_wait_thread,
  comm_wait,  // in a collective that another thread of the process carries out
  host_data_wait,
  host_alloc,
  host_module_load,
  host_io,
  host_gc,
  host_off_cpu,
  host_core_wait,
  host_other,
  profiler,
  unknown,
};

inline constexpr std::size_t kCauseCount = static_cast<std::size_t>(Cause::unknown) + 1;

template <class T>
using PerCause = std::array<T, kCauseCount>;

constexpr std::size_t index_of(Cause cause) {
  return static_cast<std::size_t>(cause);
}

std::string_view name_of(Cause cause);  // "gpu.gemm", "host.sync_return", ...
std::optional<Cause> cause_named(std::string_view name);

// True for causes that own time in which a device op runs: their sum is the busy union.
constexpr bool is_device_busy(Cause cause) {
  return cause <= Cause::copy_set;
}
constexpr bool is_host(Cause cause) {
  return cause >= Cause::host_python && cause <= Cause::host_other;
}
// The unknown budget: what no evidence explains.
constexpr bool is_unexplained(Cause cause) {
  return cause == Cause::host_other || cause == Cause::unknown;
}

}  // namespace stepscope
