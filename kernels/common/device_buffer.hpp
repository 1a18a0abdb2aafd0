// SPDX-License-Identifier: Apache-2.0
// Owner of device memory for `size` values of T, uninitialised.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "kernels/common/cuda_check.hpp"

namespace stepscope::kernels {

template <class T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    void* memory = nullptr;
    if (size > 0) cuda_check(cudaMalloc(&memory, size * sizeof(T)), "cudaMalloc");
    memory_.reset(static_cast<T*>(memory));
  }
  explicit DeviceBuffer(const std::vector<T>& values) : DeviceBuffer(values.size()) { put(values); }

  T* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  // Copies as many values as the buffer holds.
  void put(const std::vector<T>& values) const {
    if (size_ == 0) return;
    cuda_check(cudaMemcpy(data(), values.data(), bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
    wait();
  }
  void fill_bytes(int value) const {
    if (size_ == 0) return;
    cuda_check(cudaMemset(data(), value, bytes()), "cudaMemset");
    wait();
  }
  std::vector<T> to_host() const {
    std::vector<T> values(size_);
    if (size_ > 0)
      cuda_check(cudaMemcpy(values.data(), data(), bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return values;
  }

 private:
  // A set, and a copy of pageable memory, may go on after their call; a stream that does not block
  // would overtake them.
  static void wait() { cuda_check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize"); }

  struct Free {
    void operator()(T* memory) const { (void)cudaFree(memory); }
  };
  std::unique_ptr<T, Free> memory_;
  std::size_t size_ = 0;
};

}  // namespace stepscope::kernels
