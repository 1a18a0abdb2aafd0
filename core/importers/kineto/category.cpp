// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/category.hpp"

#include "core/importers/kineto/name_table.hpp"

namespace stepscope::kineto {
namespace {

using Named = NamedValue<Category>;

constexpr std::array kNames = {
    Named{"cpu_op", Category::cpu_op},
    Named{"hpu_op", Category::device_or_cpu_op},
    Named{"mtia_ccp_events", Category::device_or_cpu_op},
    Named{"Operator", Category::cpu_op},
    Named{"user_annotation", Category::user_annotation},
    Named{"gpu_user_annotation", Category::gpu_user_annotation},
    Named{"cuda_profiler_range", Category::gpu_user_annotation},
    Named{"kernel", Category::kernel},
    Named{"Kernel", Category::kernel},
    Named{"gpu_memcpy", Category::gpu_memcpy},
    Named{"Memcpy", Category::gpu_memcpy},
    Named{"gpu_memset", Category::gpu_memset},
    Named{"Memset", Category::gpu_memset},
    Named{"cuda_runtime", Category::runtime},
    Named{"Runtime", Category::runtime},
    Named{"cuda_driver", Category::driver},
    Named{"cuda_sync", Category::cuda_sync},
    Named{"cuda_event", Category::cuda_event},
    Named{"python_function", Category::python_function},
    Named{"overhead", Category::overhead},
    Named{"Trace", Category::trace_span},
    Named{"cpu_instant_event", Category::instant},
    Named{"hardware_counters", Category::hardware_counters},
    Named{"collective_comm", Category::collective},
    Named{"ac2g", Category::flow_ac2g},
    Named{"async_gpu", Category::flow_ac2g},
    Named{"async_cpu_to_gpu", Category::flow_ac2g},
    Named{"fwdbwd", Category::flow_fwdbwd},
    Named{"forward_backward", Category::flow_fwdbwd},
};

constexpr NameTable<Category, kNames.size(), 256> kTable{kNames};
static_assert(kTable.perfect(), "widen the table");

// Other vendors' names end as CUDA's do: xpu_runtime, hip_driver, npu_memcpy.
constexpr std::array kEndings = {
    Named{"_runtime", Category::runtime},
    Named{"_driver", Category::driver},
    Named{"_kernel", Category::kernel},
    Named{"_memcpy", Category::gpu_memcpy},
    Named{"_memset", Category::gpu_memset},
    Named{"_user_annotation", Category::gpu_user_annotation},
};

}  // namespace

Category category_of(std::string_view name) {
  if (const Category* found = kTable.find(name)) return *found;
  for (const Named& ending : kEndings)
    if (name.ends_with(ending.name)) return ending.value;
  return Category::unknown;
}

}  // namespace stepscope::kineto
