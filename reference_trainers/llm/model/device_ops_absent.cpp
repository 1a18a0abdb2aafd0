// SPDX-License-Identifier: Apache-2.0
// In a build without CUDA.
#include <c10/util/Exception.h>

#include "reference_trainers/llm/model/device_ops.hpp"

namespace stepscope::llm {
namespace {

[[noreturn]] void no_kernels() {
  TORCH_CHECK(false,
              "this build has no CUDA kernels: configure with -DSTEPSCOPE_WITH_CUDA=ON, or train "
              "--without fused_norm,fused_rope,fused_swiglu,fused_loss,fp8,adamw_8bit");
}

}  // namespace

bool has_kernels() {
  return false;
}
NormedSum device_add_rms_norm(const at::Tensor&, const at::Tensor&, const at::Tensor&) {
  no_kernels();
}
Heads device_normed_heads(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                          const RotaryTables&, const Shape&) {
  no_kernels();
}
void device_adamw_8bit(const kernels::Adamw8Bit&, const at::Tensor&) {
  no_kernels();
}
void device_fp8(const kernels::Fp8Quantise&, const at::Tensor&) {
  no_kernels();
}
void device_fp8(const kernels::Fp8Swiglu&, const at::Tensor&) {
  no_kernels();
}
void device_fp8(const kernels::Fp8SwigluGradient&, const at::Tensor&) {
  no_kernels();
}
void device_fp8(const kernels::Fp8CrossEntropyGradient&, const at::Tensor&) {
  no_kernels();
}
void device_fp8(const kernels::Fp8Amax&, const at::Tensor&) {
  no_kernels();
}
void device_fp8(const kernels::Fp8ScaleUpdate&, const at::Tensor&) {
  no_kernels();
}
at::Tensor device_swiglu(const at::Tensor&) {
  no_kernels();
}
at::Tensor device_token_losses(const at::Tensor&, const at::Tensor&) {
  no_kernels();
}
at::Tensor device_cross_entropy(const at::Tensor&, const at::Tensor&, double) {
  no_kernels();
}

}  // namespace stepscope::llm
