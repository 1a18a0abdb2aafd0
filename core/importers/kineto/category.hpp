// SPDX-License-Identifier: Apache-2.0
// The event categories that Kineto writes (ActivityType names, and the capitalised ones of PyTorch
// up to 1.10), folded into what the importer does with them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepscope::kineto {

enum class Category : std::uint8_t {
  unknown,
  cpu_op,
  device_or_cpu_op,  // by whether it names a stream: Habana's and MTIA's
  user_annotation,
  gpu_user_annotation,
  kernel,
  gpu_memcpy,
  gpu_memset,
  runtime,  // cuda_runtime and its counterparts for other devices
  driver,
  cuda_sync,
  cuda_event,
  python_function,
  overhead,
  trace_span,  // "Trace": the profiler's own recording window
  instant,     // cpu_instant_event, or any instant
  hardware_counters,
  collective,  // collective_comm
  flow_ac2g,
  flow_fwdbwd,
  metadata,  // ph M: names and labels
};

inline constexpr std::size_t kCategoryCount = static_cast<std::size_t>(Category::metadata) + 1;
using CategoryCounts = std::array<std::uint64_t, kCategoryCount>;

Category category_of(std::string_view name);

}  // namespace stepscope::kineto
