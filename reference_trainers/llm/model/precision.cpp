// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/precision.hpp"

#include <ATen/Context.h>

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

}  // namespace stepscope::llm
