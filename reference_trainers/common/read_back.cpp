// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/read_back.hpp"

#include <ATen/ops/empty.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace stepscope::trainers {

void ReadBack::begin(const at::Tensor& numbers) {
  const bool gpu = numbers.is_cuda();
  if (!host_.defined() || host_.sizes() != numbers.sizes() ||
      host_.scalar_type() != numbers.scalar_type())
    host_ = at::empty(numbers.sizes(), at::TensorOptions(numbers.scalar_type()).pinned_memory(gpu));
  host_.copy_(numbers, /*non_blocking=*/gpu);
  if (!gpu) return;
  const at::Device device = numbers.device();
  if (!done_) done_.emplace(device.type());
  done_->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
}

const at::Tensor& ReadBack::end() {
  if (done_) done_->synchronize();
  return host_;
}

}  // namespace stepscope::trainers
