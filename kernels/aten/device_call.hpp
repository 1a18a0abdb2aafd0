// SPDX-License-Identifier: Apache-2.0
// What every binding needs to call a kernel on tensors: their number type and device, the stream
// that LibTorch would use, memory of its allocator, and a Status as an exception of LibTorch's
// (c10::Error, a RuntimeError in Python) that names the operation and the argument.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

#include <cstddef>

#include "kernels/common/key_types.hpp"
#include "kernels/common/status.hpp"

struct CUstream_st;

namespace stepscope::aten {

// Within its life the tensor's GPU is the current one.
class DeviceCall {
 public:
  explicit DeviceCall(const at::Tensor& tensor);
  // The current one of that GPU; null is the default stream.
  CUstream_st* stream() const { return stream_; }

 private:
  c10::DeviceGuard guard_;
  CUstream_st* stream_;
};

void must(const char* operation, const kernels::Status& status);

// True on the CPU, false on a GPU; any other device is an error.
bool on_host(const at::Tensor& tensor, const char* name);
void check_together(const at::Tensor& tensor, const char* name, const at::Tensor& other);
void check_type(const at::Tensor& tensor, const char* name, at::ScalarType type);
// [rows, columns] in the order of memory.
at::Tensor row_major(const at::Tensor& tensor, const char* name);

kernels::KeyType key_type_of(const at::Tensor& tensor, const char* name);

// Any content, aligned to 256 bytes and more.
at::Tensor device_bytes(std::size_t count, at::Device device);

// Called in a backward function, which reads and writes raw memory: a gradient of it would be lost
// silently.
void once_differentiable(const char* operation);

}  // namespace stepscope::aten
