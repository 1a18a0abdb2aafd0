// SPDX-License-Identifier: Apache-2.0
// The class of a piece of work, read off its name: what a kernel or a CPU op computes.
// Names are judged by their stem first (namespace and function, template arguments cut off) and by
// the whole text only where the stem says nothing, since functor names inside <...> mislead. The
// keyword lists stand in operation_class.cpp, in order: the first list that matches wins.
#pragma once

#include <string_view>

#include "core/attribution/cause.hpp"
#include "core/model/events.hpp"

namespace stepscope {

// gpu_* or comm_transfer; gpu_other for names that nothing matches.
Cause classify_kernel(std::string_view name);

// The cause that owns the time in which this op runs on the device: kernels by name, copies by
// direction and memory, sets. Unknown host memory counts as pinned (the harmless reading).
Cause classify_device_op(DeviceOpKind kind, CopyKind copy, MemoryKind source,
                         std::string_view name);

// host_compute_* for ops that compute, host_framework for views, allocation and dispatch wrappers,
// host_compute_other for names that nothing matches.
Cause classify_cpu_op(std::string_view name);

}  // namespace stepscope
