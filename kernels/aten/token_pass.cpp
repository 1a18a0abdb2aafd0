// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/token_pass.hpp"

#include <ATen/ops/empty.h>

#include "kernels/aten/device_call.hpp"
#include "kernels/token_pass/token_pass.hpp"

namespace stepscope::aten {
namespace {

void check_token_tensor(const at::Tensor& tensor, const char* name, at::IntArrayRef sizes) {
  check_type(tensor, name, at::kBFloat16);
  TORCH_CHECK(tensor.is_cuda(), name, ": must be on a CUDA device");
  TORCH_CHECK(tensor.is_contiguous() && tensor.sizes() == sizes, name,
              ": must be contiguous, of sizes ", sizes, ", has ", tensor.sizes());
}

const void* data_of(const at::Tensor& optional, const char* name, at::IntArrayRef sizes) {
  if (!optional.defined()) return nullptr;
  check_token_tensor(optional, name, sizes);
  return optional.const_data_ptr();
}

}  // namespace

bool token_pass_fits(std::int64_t rows, std::int64_t width, std::int64_t heads,
                     std::int64_t vocabulary) {
  return rows <= kernels::kTokenMostRows && width % 256 == 0 &&
         4 * width <= kernels::kTokenMostInputs && width <= kernels::kTokenMostNormInputs &&
         width / heads % 8 == 0 && width / heads <= 128 && vocabulary % 8 == 0;
}

at::Tensor token_linear(const at::Tensor& x, const at::Tensor& weights,
                        const TokenLinearWish& wish) {
  TORCH_CHECK(x.dim() == 2 && weights.dim() == 2, "x: must be [rows, inputs]");
  kernels::TokenLinear call;
  call.rows = x.size(0), call.inputs = x.size(1), call.outputs = weights.size(0);
  check_token_tensor(x, "x", {call.rows, call.inputs});
  check_token_tensor(weights, "weights", {call.outputs, call.inputs});
  const at::Tensor out = at::empty({call.rows, call.outputs}, x.options());
  call.x = x.const_data_ptr();
  call.weights = weights.const_data_ptr();
  call.norm = data_of(wish.norm, "norm", {call.inputs});
  call.residual = data_of(wish.residual, "residual", {call.rows, call.outputs});
  call.gelu = wish.gelu;
  call.out = out.mutable_data_ptr();
  const DeviceCall device(x);
  must("token_linear", kernels::token_linear(call, device.stream()));
  return out;
}

at::Tensor token_attention(const at::Tensor& query_key_value, const at::Tensor& keys,
                           const at::Tensor& values, const at::Tensor& place) {
  TORCH_CHECK(keys.dim() == 4, "keys: must be [rows, heads, positions, width]");
  kernels::TokenAttention call;
  call.rows = keys.size(0), call.heads = keys.size(1);
  call.positions = keys.size(2), call.width = keys.size(3);
  check_token_tensor(query_key_value, "query_key_value", {call.rows, 3 * call.heads * call.width});
  check_token_tensor(keys, "keys", keys.sizes());
  check_token_tensor(values, "values", keys.sizes());
  check_type(place, "place", at::kLong);
  check_together(place, "place", keys);
  const at::Tensor out = at::empty({call.rows, call.heads * call.width}, keys.options());
  call.query_key_value = query_key_value.const_data_ptr();
  call.keys = keys.mutable_data_ptr();
  call.values = values.mutable_data_ptr();
  call.place = place.const_data_ptr<std::int64_t>();
  call.out = out.mutable_data_ptr();
  const DeviceCall device(keys);
  must("token_attention", kernels::token_attention(call, device.stream()));
  return out;
}

}  // namespace stepscope::aten
