// SPDX-License-Identifier: Apache-2.0
// A run of two ranks: six steps each, in which rank 1 computes 50 us longer before it enters the
// collective.
#pragma once

#include <string>
#include <utility>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {

inline constexpr std::int64_t kRankStep = 1'000'000;

// With a difference of clocks the second rank ran on another host.
inline Trace two_ranks(std::int64_t second_ahead_ns = 0) {
  TraceMaker make;
  make.data.processes.resize(2);
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    const auto process = static_cast<ProcessId>(rank);
    make.data.processes[process].rank = rank;
    make.data.processes[process].world_size = 2;
    make.data.processes[process].host = rank == 1 && second_ahead_ns != 0 ? "b" : "a";
    make.data.threads.push_back({process, 100 + rank, ""});
    make.data.streams.push_back({process, 0, 0, 7, ""});
  }
  HostRanges& ranges = make.data.host_ranges;
  DeviceOps& ops = make.data.device_ops;
  const auto op = [&](std::uint32_t stream, const char* name, std::int64_t begin,
                      std::int64_t end) {
    ops.begin.push_back(begin);
    ops.end.push_back(end);
    ops.name.push_back(make.data.strings.intern(name));
    ops.kind.push_back(DeviceOpKind::kernel);
    ops.stream.push_back(stream);
    ops.correlation.push_back(0);
    ops.graph.push_back(0);
    ops.graph_node.push_back(0);
    ops.bytes.push_back(kUnknownBytes);
    ops.copy_kind.push_back(CopyKind::none);
    ops.source_memory.push_back(MemoryKind::unknown);
    ops.target_memory.push_back(MemoryKind::unknown);
    ops.launch_config.push_back(kNone);
  };
  for (std::int64_t step = 0; step < 6; ++step) {
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      const std::int64_t begin = 1'000'000 + step * kRankStep + rank * second_ahead_ns;
      ranges.begin.push_back(begin);
      ranges.end.push_back(begin + kRankStep - 1'000);
      ranges.name.push_back(make.data.strings.intern("ProfilerStep#" + std::to_string(step)));
      ranges.thread.push_back(rank);
      ranges.kind.push_back(HostKind::user_scope);
      ranges.category.push_back(0);
      ranges.site.push_back(kNone);
      ranges.sequence.push_back(kNoSequence);
      ranges.forward_thread.push_back(kNone);
      const std::int64_t entry = begin + (rank == 0 ? 100'000 : 150'000);
      op(rank, "ampere_sgemm_128x64_nn", begin + 50'000, entry);
      op(rank, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", entry, begin + 200'000);
    }
  }
  return Trace::build(std::move(make.data));
}

}  // namespace stepscope
