// SPDX-License-Identifier: Apache-2.0
// Makes the L2 cache cold: a buffer much larger than it is read, so what it held is gone, and what
// it holds is clean: nothing is left to write back.
//
// By plain loads. An H100's L2 gives lines that were read past the L1 (ld.global.nc with
// L1::no_allocate) the places of each other alone: a buffer of 256 MB read so left all that was
// there before (docs/measurements/kernels.md); l2_flush_gpu_test.cpp would see that.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/common/device_buffer.hpp"

namespace stepscope::kernels {

class L2Flush {
 public:
  L2Flush() : buffer_(kBytes), sink_(1) { buffer_.fill_bytes(1); }
  void enqueue(cudaStream_t stream) const;

 private:
  static constexpr std::size_t kBytes = std::size_t{256} << 20;
  const DeviceBuffer<std::byte> buffer_;
  const DeviceBuffer<unsigned> sink_;
};

// Lines of 128 bytes, each of which says where the next one lies.
class LineChain {
 public:
  explicit LineChain(unsigned lines);
  void write(cudaStream_t stream) const;
  // How long a load takes, on average, of one line after the other.
  double cycles_of_line(cudaStream_t stream) const;

 private:
  const unsigned count_;
  const DeviceBuffer<unsigned> words_;
  const DeviceBuffer<std::int64_t> cycles_;
  const DeviceBuffer<unsigned> sink_;
};

}  // namespace stepscope::kernels
