// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/device_memory.hpp"

#include <c10/core/CachingDeviceAllocator.h>

namespace stepscope::trainers {

std::int64_t peak_device_bytes(c10::Device device) {
  if (!device.is_cuda()) return 0;
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return c10::getDeviceAllocator(device.type())
      ->getDeviceStats(device.index())
      .allocated_bytes[kAll]
      .peak;
}

}  // namespace stepscope::trainers
