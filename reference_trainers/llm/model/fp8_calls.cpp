// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/fp8_calls.hpp"

#include <c10/util/Exception.h>

#include "reference_trainers/llm/model/device_ops.hpp"

namespace stepscope::llm {
namespace {

template <class Call>
void call_there(const Call& call, const at::Tensor& on, kernels::Status (*reference)(const Call&)) {
  if (on.is_cuda()) return device_fp8(call, on);
  const kernels::Status made = reference(call);
  TORCH_CHECK(made.ok(), "fp8: ", made.message());
}

}  // namespace

void fp8_call(const kernels::Fp8Quantise& call, const at::Tensor& on) {
  call_there(call, on, kernels::fp8_quantise_reference);
}
void fp8_call(const kernels::Fp8Swiglu& call, const at::Tensor& on) {
  call_there(call, on, kernels::fp8_swiglu_reference);
}
void fp8_call(const kernels::Fp8SwigluGradient& call, const at::Tensor& on) {
  call_there(call, on, kernels::fp8_swiglu_gradient_reference);
}
void fp8_call(const kernels::Fp8CrossEntropyGradient& call, const at::Tensor& on) {
  call_there(call, on, kernels::fp8_cross_entropy_gradient_reference);
}
void fp8_call(const kernels::Fp8Amax& call, const at::Tensor& on) {
  call_there(call, on, kernels::fp8_amax_reference);
}
void fp8_call(const kernels::Fp8ScaleUpdate& call, const at::Tensor& on) {
  call_there(call, on, kernels::fp8_update_scales_reference);
}

}  // namespace stepscope::llm
