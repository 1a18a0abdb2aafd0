// SPDX-License-Identifier: Apache-2.0
// From the reports of PyTorch's CUDA allocator to counters of the device. Reports come from any
// thread, inside the allocator's lock; what is reserved changes rarely and is a row only then.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope {

// Begins to record reports; earlier ones are ignored.
void enable_memory_reports() noexcept;

// Called after an allocation or a free, with the totals of the device. Devices as c10 numbers them.
void on_memory_report(std::int8_t device_type, std::int8_t device, std::size_t allocated_bytes,
                      std::size_t reserved_bytes) noexcept;

}  // namespace stepscope
