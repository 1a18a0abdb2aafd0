// SPDX-License-Identifier: Apache-2.0
// Keys of a test on the device, where there is one.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/common/device_buffer.hpp"

namespace stepscope::kernels {

// Keys on the device, `offset` entries behind the buffer's 256-byte aligned begin.
template <class T>
class DeviceKeys {
 public:
  explicit DeviceKeys(const std::vector<T>& keys, std::size_t offset = 0)
      : buffer_(offset + keys.size()), offset_(offset) {
    put(keys);
  }
  // As many as before.
  void put(const std::vector<T>& keys) const {
    std::vector<T> padded(offset_);
    padded.insert(padded.end(), keys.begin(), keys.end());
    buffer_.put(padded);
  }
  const T* data() const { return buffer_.data() + offset_; }

 private:
  DeviceBuffer<T> buffer_;
  std::size_t offset_;
};

}  // namespace stepscope::kernels
