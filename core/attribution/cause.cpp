// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/cause.hpp"

namespace stepscope {
namespace {

constexpr PerCause<std::string_view> kCauseNames = {
    "gpu.gemm",
    "gpu.attention",
    "gpu.select",
    "gpu.reduce",
    "gpu.elementwise",
    "gpu.optimizer",
    "gpu.other",
    "comm.transfer",
    "comm.late_rank",
    "copy.h2d.pageable",
    "copy.h2d.pinned",
    "copy.d2h",
    "copy.d2d",
    "copy.set",
    "gpu.dispatch_gap",
    "graph_gap",
    "launch_latency",
    "gpu.wait_peer",
    "gpu.shared",
    "host.python",
    "host.framework",
    "host.compute.gemm",
    "host.compute.attention",
    "host.compute.select",
    "host.compute.reduce",
    "host.compute.elementwise",
    "host.compute.optimizer",
    "host.compute.other",
    "host.between_calls",
    "host.launch_api",
    "host.queue_full",
    "host.sync_return",
    "host.wait_thread",
    "comm.wait",
    "host.data_wait",
    "host.alloc",
    "host.module_load",
    "host.io",
    "host.gc",
    "host.off_cpu",
    "host.core_wait",
    "host.other",
    "profiler",
    "unknown",
};
static_assert(!kCauseNames.back().empty(), "every cause has a name");

}  // namespace

std::string_view name_of(Cause cause) {
  return kCauseNames[index_of(cause)];
}

std::optional<Cause> cause_named(std::string_view name) {
  for (std::size_t i = 0; i < kCauseCount; ++i)
    if (kCauseNames[i] == name) return static_cast<Cause>(i);
  return std::nullopt;
}

}  // namespace stepscope
