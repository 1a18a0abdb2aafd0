// SPDX-License-Identifier: Apache-2.0
// What LibTorch's allocator of a GPU has given out at most. On a CPU nothing counts it: 0.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace stepscope::trainers {

std::int64_t peak_device_bytes(c10::Device device);

}  // namespace stepscope::trainers
