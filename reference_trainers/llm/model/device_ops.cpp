// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/device_ops.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "kernels/transformer/transformer.hpp"

namespace stepscope::llm {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using Variables = torch::autograd::variable_list;

// Within its life the tensor's GPU is the current one.
class OnDevice {
 public:
  explicit OnDevice(const at::Tensor& tensor)
      : guard_(tensor.device()),
        stream_(static_cast<CUstream_st*>(c10::impl::VirtualGuardImpl(tensor.device().type())
                                              .getStream(tensor.device())
                                              .native_handle())) {}
  CUstream_st* stream() const { return stream_; }

 private:
  c10::DeviceGuard guard_;
  CUstream_st* stream_;
};

void must_run(const char* operation, const kernels::Status& status) {
  TORCH_CHECK(status.ok(), operation, ": ", status.message());
}

kernels::KeyType kernel_type(const at::Tensor& tensor) {
  TORCH_CHECK(tensor.scalar_type() == at::kBFloat16 || tensor.scalar_type() == at::kFloat,
              "fused kernels take float32 or bfloat16, this is ", tensor.scalar_type());
  return tensor.scalar_type() == at::kFloat ? kernels::KeyType::float32
                                            : kernels::KeyType::bfloat16;
}

at::Tensor floats(at::IntArrayRef sizes, const at::Tensor& beside) {
  return at::empty(sizes, beside.options().dtype(at::kFloat).requires_grad(false));
}

at::Tensor partials_of(int blocks, at::IntArrayRef weight, const at::Tensor& beside) {
  std::vector<std::int64_t> sizes{blocks};
  sizes.insert(sizes.end(), weight.begin(), weight.end());
  return floats(sizes, beside);
}

// Sum and normed; the sum's gradient, which the residual's way back brings, joins here. The first
// norm of a model has no branch: Function takes a missing tensor as an optional alone.
class AddRmsNorm : public Function<AddRmsNorm> {
 public:
  static Variables forward(AutogradContext* context, const at::Tensor& residual,
                           const std::optional<at::Tensor>& branch, const at::Tensor& weight) {
    const OnDevice device(residual);
    const bool adds = branch.has_value();
    kernels::RmsNorm call;
    call.type = kernel_type(residual);
    call.width = residual.size(-1);
    call.rows = residual.numel() / call.width;
    const at::Tensor x = residual.contiguous(), y = adds ? branch->contiguous() : at::Tensor();
    const at::Tensor sum = adds ? at::empty_like(x) : x;
    const at::Tensor out = at::empty_like(x), scales = floats({call.rows}, x);
    call.residual = x.const_data_ptr();
    call.branch = adds ? y.const_data_ptr() : nullptr;
    call.weight = weight.const_data_ptr();
    call.sum = adds ? sum.mutable_data_ptr() : nullptr;
    call.out = out.mutable_data_ptr();
    call.scales = scales.mutable_data_ptr<float>();
    must_run("add_rms_norm", kernels::rms_norm(call, device.stream()));
    context->save_for_backward({sum, weight, scales});
    context->saved_data["adds"] = adds;
    if (!adds) return {out};
    return {out, sum};
  }

  static Variables backward(AutogradContext* context, const Variables& gradients) {
    const Variables saved = context->get_saved_variables();
    const at::Tensor& sum = saved[0];
    const OnDevice device(sum);
    const bool adds = context->saved_data["adds"].toBool();
    kernels::RmsNormGradient call;
    call.type = kernel_type(sum);
    call.width = sum.size(-1);
    call.rows = sum.numel() / call.width;
    const at::Tensor through_out = gradients[0].contiguous();
    at::Tensor through_sum;
    if (adds && gradients[1].defined()) through_sum = gradients[1].contiguous();
    const at::Tensor gradient = at::empty_like(sum);
    const at::Tensor partials = partials_of(kernels::kTransformerPartials, {call.width}, sum);
    call.sum = sum.const_data_ptr();
    call.weight = saved[1].const_data_ptr();
    call.scales = saved[2].const_data_ptr<float>();
    call.out_gradient = through_out.const_data_ptr();
    call.sum_gradient = through_sum.defined() ? through_sum.const_data_ptr() : nullptr;
    call.gradient = gradient.mutable_data_ptr();
    call.weight_partials = partials.mutable_data_ptr<float>();
    must_run("add_rms_norm", kernels::rms_norm_gradient(call, device.stream()));
    return {gradient, adds ? gradient : at::Tensor(), partials.sum(0).to(saved[1].scalar_type())};
  }
};

kernels::HeadGradient head_gradient(const at::Tensor& gradient) {
  return {gradient.const_data_ptr(), gradient.stride(0), gradient.stride(1), gradient.stride(2)};
}

class NormedHeads : public Function<NormedHeads> {
 public:
  static Variables forward(AutogradContext* context, const at::Tensor& packed,
                           const at::Tensor& query_weight, const at::Tensor& key_weight,
                           const at::Tensor& cosine, const at::Tensor& sine, std::int64_t heads,
                           std::int64_t kv_heads) {
    const OnDevice device(packed);
    const at::Tensor flat = packed.contiguous();
    kernels::QkNormRope call =
        call_of(flat, query_weight, key_weight, cosine, sine, heads, kv_heads);
    const kernels::HeadShape& s = call.shape;
    const at::Tensor query = at::empty({s.batch, s.sequence, heads, s.head_size}, flat.options());
    const at::Tensor key = at::empty({s.batch, s.sequence, kv_heads, s.head_size}, flat.options());
    const at::Tensor value = at::empty_like(key);
    call.query = query.mutable_data_ptr();
    call.key = key.mutable_data_ptr();
    call.value = value.mutable_data_ptr();
    must_run("normed_heads", kernels::qk_norm_rope(call, device.stream()));
    context->save_for_backward({flat, query_weight, key_weight, cosine, sine});
    context->saved_data["heads"] = heads;
    context->saved_data["kv_heads"] = kv_heads;
    return {query, key, value};
  }

  static Variables backward(AutogradContext* context, const Variables& gradients) {
    const Variables saved = context->get_saved_variables();
    const OnDevice device(saved[0]);
    kernels::QkNormRopeGradient call;
    call.forward =
        call_of(saved[0], saved[1], saved[2], saved[3], saved[4],
                context->saved_data["heads"].toInt(), context->saved_data["kv_heads"].toInt());
    Variables contiguous_heads;
    for (const at::Tensor& gradient : gradients)
      contiguous_heads.push_back(gradient.stride(3) == 1 ? gradient : gradient.contiguous());
    call.query = head_gradient(contiguous_heads[0]);
    call.key = head_gradient(contiguous_heads[1]);
    call.value = head_gradient(contiguous_heads[2]);
    const at::Tensor packed_gradient = at::empty_like(saved[0]);
    const at::Tensor partials =
        partials_of(kernels::kHeadPartials, {2, call.forward.shape.head_size}, saved[0]);
    call.packed_gradient = packed_gradient.mutable_data_ptr();
    call.weight_partials = partials.mutable_data_ptr<float>();
    must_run("normed_heads", kernels::qk_norm_rope_gradient(call, device.stream()));
    const at::Tensor weights = partials.sum(0).to(saved[1].scalar_type());
    return {packed_gradient, weights[0], weights[1], {}, {}, {}, {}};
  }

 private:
  static kernels::QkNormRope call_of(const at::Tensor& packed, const at::Tensor& query_weight,
                                     const at::Tensor& key_weight, const at::Tensor& cosine,
                                     const at::Tensor& sine, std::int64_t heads,
                                     std::int64_t kv_heads) {
    kernels::QkNormRope call;
    call.type = kernel_type(packed);
    call.shape = {packed.size(0), packed.size(1), heads, kv_heads,
                  packed.size(2) / (heads + 2 * kv_heads)};
    call.packed = packed.const_data_ptr();
    call.query_weight = query_weight.const_data_ptr();
    call.key_weight = key_weight.const_data_ptr();
    call.tables_by_token = cosine.dim() == 4;
    call.cosine = cosine.const_data_ptr<float>();
    call.sine = sine.const_data_ptr<float>();
    return call;
  }
};

class SwigluOp : public Function<SwigluOp> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& packed) {
    const OnDevice device(packed);
    const at::Tensor flat = packed.contiguous();
    std::vector<std::int64_t> sizes = flat.sizes().vec();
    sizes.back() /= 2;
    const at::Tensor out = at::empty(sizes, flat.options());
    kernels::Swiglu call;
    call.type = kernel_type(flat);
    call.width = sizes.back();
    call.rows = out.numel() / call.width;
    call.packed = flat.const_data_ptr();
    call.out = out.mutable_data_ptr();
    must_run("swiglu", kernels::swiglu(call, device.stream()));
    context->save_for_backward({flat});
    return out;
  }

  static Variables backward(AutogradContext* context, const Variables& gradients) {
    const at::Tensor flat = context->get_saved_variables()[0];
    const OnDevice device(flat);
    const at::Tensor through = gradients[0].contiguous(), gradient = at::empty_like(flat);
    kernels::SwigluGradient call;
    call.type = kernel_type(flat);
    call.width = flat.size(-1) / 2;
    call.rows = through.numel() / call.width;
    call.packed = flat.const_data_ptr();
    call.out_gradient = through.const_data_ptr();
    call.packed_gradient = gradient.mutable_data_ptr();
    must_run("swiglu", kernels::swiglu_gradient(call, device.stream()));
    return {gradient};
  }
};

// Losses and, in the place of the logits, their gradient where the scale is not 0.
at::Tensor losses_of(const at::Tensor& logits, const at::Tensor& targets, double gradient_scale) {
  const OnDevice device(logits);
  TORCH_CHECK(logits.is_contiguous(), "cross entropy: logits must be contiguous");
  kernels::CrossEntropy call;
  call.type = kernel_type(logits);
  call.width = logits.size(-1);
  call.rows = logits.numel() / call.width;
  const at::Tensor flat = targets.contiguous(), losses = floats({call.rows}, logits);
  call.logits = logits.mutable_data_ptr();
  call.targets = flat.const_data_ptr<std::int64_t>();
  call.losses = losses.mutable_data_ptr<float>();
  call.gradient_scale = static_cast<float>(gradient_scale);
  must_run("cross_entropy", kernels::cross_entropy(call, device.stream()));
  return losses;
}

class CrossEntropyOp : public Function<CrossEntropyOp> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& logits,
                            const at::Tensor& targets, double share) {
    const double scale = share / static_cast<double>(targets.numel());
    const at::Tensor losses = losses_of(logits, targets, scale);
    context->saved_data["gradient"] = logits.detach();
    return losses.sum().mul_(scale);
  }

  // The gradient that comes is 1 (fused_ops.hpp).
  static Variables backward(AutogradContext* context, const Variables&) {
    return {context->saved_data["gradient"].toTensor(), {}, {}};
  }
};

}  // namespace

bool has_kernels() {
  return true;
}

NormedSum device_add_rms_norm(const at::Tensor& residual, const at::Tensor& branch,
                              const at::Tensor& weight) {
  const std::optional<at::Tensor> added =
      branch.defined() ? std::optional<at::Tensor>(branch) : std::nullopt;
  const Variables out = AddRmsNorm::apply(residual, added, weight);
  return {out.size() > 1 ? out[1] : residual, out[0]};
}

Heads device_normed_heads(const at::Tensor& packed, const at::Tensor& query_weight,
                          const at::Tensor& key_weight, const RotaryTables& tables,
                          const Shape& shape) {
  const Variables out = NormedHeads::apply(packed, query_weight, key_weight, tables.cos, tables.sin,
                                           shape.heads, shape.kv_heads);
  return {out[0].transpose(1, 2), out[1].transpose(1, 2), out[2].transpose(1, 2)};
}

void device_adamw_8bit(const kernels::Adamw8Bit& call, const at::Tensor& weights) {
  const OnDevice device(weights);
  must_run("adamw_8bit", kernels::adamw_8bit(call, device.stream()));
}

void device_fp8(const kernels::Fp8Quantise& call, const at::Tensor& on) {
  const OnDevice device(on);
  must_run("fp8_quantise", kernels::fp8_quantise(call, device.stream()));
}
void device_fp8(const kernels::Fp8Swiglu& call, const at::Tensor& on) {
  const OnDevice device(on);
  must_run("fp8_swiglu", kernels::fp8_swiglu(call, device.stream()));
}
void device_fp8(const kernels::Fp8SwigluGradient& call, const at::Tensor& on) {
  const OnDevice device(on);
  must_run("fp8_swiglu_gradient", kernels::fp8_swiglu_gradient(call, device.stream()));
}
void device_fp8(const kernels::Fp8CrossEntropyGradient& call, const at::Tensor& on) {
  const OnDevice device(on);
  must_run("fp8_cross_entropy_gradient",
           kernels::fp8_cross_entropy_gradient(call, device.stream()));
}
void device_fp8(const kernels::Fp8Amax& call, const at::Tensor& on) {
  const OnDevice device(on);
  must_run("fp8_amax", kernels::fp8_amax(call, device.stream()));
}
void device_fp8(const kernels::Fp8ScaleUpdate& call, const at::Tensor& on) {
  const OnDevice device(on);
  must_run("fp8_update_scales", kernels::fp8_update_scales(call, device.stream()));
}

at::Tensor device_swiglu(const at::Tensor& packed) {
  return SwigluOp::apply(packed);
}

at::Tensor device_token_losses(const at::Tensor& logits, const at::Tensor& targets) {
  return losses_of(logits, targets, 0);
}

at::Tensor device_cross_entropy(const at::Tensor& logits, const at::Tensor& targets, double share) {
  return CrossEntropyOp::apply(logits, targets, share);
}

}  // namespace stepscope::llm
