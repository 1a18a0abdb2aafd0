// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/precision.hpp"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

namespace stepscope::llm {

void apply_to_process(const Rungs& rungs, at::Device device, bool masks) {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuBLAS(rungs.tf32);
  if (!device.is_cuda() || !rungs.sdpa || masks) return;
  const bool half = rungs.bf16;  // the fast kernels take no float32
  context.setSDPUseCuDNN(rungs.cudnn_attention && half);
  context.setSDPUseFlash(!rungs.cudnn_attention);
  context.setSDPUseMemEfficient(!half);
  context.setSDPUseMath(!half);
}

Autocast::Autocast(bool wanted, at::Device device) : on_(wanted), type_(device.type()) {
  if (!on_) return;
  at::autocast::increment_nesting();
  at::autocast::set_autocast_dtype(type_, at::kBFloat16);
  at::autocast::set_autocast_enabled(type_, true);
}

Autocast::~Autocast() {
  if (!on_) return;
  at::autocast::set_autocast_enabled(type_, false);
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
}

}  // namespace stepscope::llm
