// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/device_call.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>

namespace stepscope::aten {

DeviceCall::DeviceCall(const at::Tensor& tensor)
    : guard_(tensor.device()),
      stream_(static_cast<CUstream_st*>(c10::impl::VirtualGuardImpl(tensor.device().type())
                                            .getStream(tensor.device())
                                            .native_handle())) {}

void must(const char* operation, const kernels::Status& status) {
  TORCH_CHECK(status.ok(), operation, ": ", status.message());
}

bool on_host(const at::Tensor& tensor, const char* name) {
  TORCH_CHECK(tensor.is_cpu() || tensor.is_cuda(), name,
              ": must be on the CPU or a CUDA device, is on ", tensor.device());
  return tensor.is_cpu();
}

void check_together(const at::Tensor& tensor, const char* name, const at::Tensor& other) {
  TORCH_CHECK(tensor.device() == other.device(), name, ": must be on ", other.device(), ", is on ",
              tensor.device());
}

void check_type(const at::Tensor& tensor, const char* name, at::ScalarType type) {
  TORCH_CHECK(tensor.scalar_type() == type, name, ": must be ", type, ", is ",
              tensor.scalar_type());
}

at::Tensor row_major(const at::Tensor& tensor, const char* name) {
  TORCH_CHECK(tensor.dim() == 2, name, ": must have 2 dimensions, has ", tensor.dim());
  return tensor.contiguous();
}

kernels::KeyType key_type_of(const at::Tensor& tensor, const char* name) {
  switch (tensor.scalar_type()) {
    case at::kBFloat16:
      return kernels::KeyType::bfloat16;
    case at::kHalf:
      return kernels::KeyType::float16;
    case at::kFloat:
      return kernels::KeyType::float32;
    default:
      TORCH_CHECK(false, name, ": must be float32, float16 or bfloat16, is ", tensor.scalar_type());
  }
}

at::Tensor device_bytes(std::size_t count, at::Device device) {
  return at::empty({static_cast<std::int64_t>(count)}, at::TensorOptions(device).dtype(at::kByte));
}

void once_differentiable(const char* operation) {
  TORCH_CHECK(!at::GradMode::is_enabled(), operation,
              ": its gradient has no gradient (create_graph must be off)");
}

}  // namespace stepscope::aten
