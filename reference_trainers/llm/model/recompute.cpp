// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/recompute.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/silu.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>
#include <utility>

#include "reference_trainers/common/autocast.hpp"
#include "reference_trainers/llm/model/fused_ops.hpp"
#include "reference_trainers/llm/model/layers.hpp"

namespace stepscope::llm {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using Variables = torch::autograd::variable_list;

at::Tensor leaf_of(const at::Tensor& tensor) {
  return tensor.detach().set_requires_grad(true);
}

at::Tensor swiglu_of(const at::Tensor& packed, bool fused) {
  if (fused) return swiglu(packed);
  const auto parts = packed.chunk(2, -1);
  return at::silu(parts[0]) * parts[1];
}

at::Tensor norm_of(const at::Tensor& sum, const at::Tensor& weight, bool fused) {
  return fused ? add_rms_norm(sum, {}, weight).normed : rms_norm(sum, weight);
}

// Gradients of linear(in, weight) by both arguments, in the type that the product was made in.
struct LinearGradient {
  at::Tensor in, weight;
};
LinearGradient linear_gradient(const at::Tensor& in, const at::Tensor& weight,
                               const at::Tensor& through) {
  const at::ScalarType type = through.scalar_type();
  const at::Tensor rows = through.reshape({-1, through.size(-1)});
  return {at::matmul(through, weight.to(type)),
          at::matmul(rows.t(), in.detach().to(type).reshape({-1, in.size(-1)}))
              .to(weight.scalar_type())};
}

class NormLinear : public Function<NormLinear> {
 public:
  static Variables forward(AutogradContext* context, const at::Tensor& residual,
                           const std::optional<at::Tensor>& branch, const at::Tensor& norm_weight,
                           const at::Tensor& weight, bool fused) {
    const at::Tensor sum = branch ? residual + *branch : residual;
    const at::Tensor product = at::linear(norm_of(sum, norm_weight, fused), weight);
    context->save_for_backward({sum, norm_weight, weight});
    context->saved_data["fused"] = fused;
    context->saved_data["adds"] = branch.has_value();
    if (!branch) return {product};
    return {product, sum};
  }

  static Variables backward(AutogradContext* context, const Variables& gradients) {
    const Variables saved = context->get_saved_variables();
    const bool adds = context->saved_data["adds"].toBool();
    const at::Tensor sum = leaf_of(saved[0]), norm_weight = leaf_of(saved[1]);
    at::Tensor normed;
    {
      const at::AutoGradMode with_gradients(true);
      normed = norm_of(sum, norm_weight, context->saved_data["fused"].toBool());
    }
    const LinearGradient through = linear_gradient(normed, saved[2], gradients[0]);
    const Variables own =
        torch::autograd::grad({normed}, {sum, norm_weight}, {through.in.to(normed.scalar_type())});
    const bool joins = adds && gradients[1].defined();
    const at::Tensor of_sum = joins ? own[0] + gradients[1] : own[0];
    return {of_sum, adds ? of_sum : at::Tensor(), own[1], through.weight, {}};
  }
};

class SwigluLinear : public Function<SwigluLinear> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& packed,
                            const at::Tensor& weight, bool fused) {
    context->save_for_backward({packed, weight});
    context->saved_data["fused"] = fused;
    return at::linear(swiglu_of(packed, fused), weight);
  }

  static Variables backward(AutogradContext* context, const Variables& gradients) {
    const Variables saved = context->get_saved_variables();
    const at::Tensor packed = leaf_of(saved[0]);
    at::Tensor hidden;
    {
      const at::AutoGradMode with_gradients(true);
      hidden = swiglu_of(packed, context->saved_data["fused"].toBool());
    }
    const LinearGradient through = linear_gradient(hidden, saved[1], gradients[0]);
    const Variables own =
        torch::autograd::grad({hidden}, {packed}, {through.in.to(hidden.scalar_type())});
    return {own[0], through.weight, {}};
  }
};

struct KeptBody final : torch::CustomClassHolder {
  explicit KeptBody(Body body_) : body(std::move(body_)) {}
  const Body body;
};

class Recomputed : public Function<Recomputed> {
 public:
  static Variables forward(AutogradContext* context, at::TensorList tensors,
                           const c10::intrusive_ptr<KeptBody>& kept) {
    const Variables inputs = tensors.vec();
    context->save_for_backward(inputs);
    context->saved_data["body"] = c10::IValue::make_capsule(kept);
    context->saved_data["autocast"] =
        at::autocast::is_autocast_enabled(inputs.front().device().type());
    return kept->body(inputs);
  }

  static Variables backward(AutogradContext* context, const Variables& gradients) {
    Variables inputs;
    for (const at::Tensor& saved : context->get_saved_variables()) inputs.push_back(leaf_of(saved));
    const auto kept = context->saved_data["body"].toCapsule();
    Variables outputs;
    {
      const at::AutoGradMode with_gradients(true);
      const trainers::Autocast autocast(context->saved_data["autocast"].toBool(),
                                        inputs.front().device());
      outputs = static_cast<const KeptBody&>(*kept).body(inputs);
    }
    Variables own = torch::autograd::grad(outputs, inputs, gradients, /*retain_graph=*/false,
                                          /*create_graph=*/false, /*allow_unused=*/true);
    own.emplace_back();  // the body has no gradient
    return own;
  }
};

}  // namespace

SumAndProduct recomputed_norm_linear(const at::Tensor& residual, const at::Tensor& branch,
                                     const at::Tensor& norm_weight, const at::Tensor& weight,
                                     bool fused) {
  const std::optional<at::Tensor> added =
      branch.defined() ? std::optional<at::Tensor>(branch) : std::nullopt;
  const Variables out = NormLinear::apply(residual, added, norm_weight, weight, fused);
  return {out.size() > 1 ? out[1] : residual, out[0]};
}

at::Tensor recomputed_swiglu_linear(const at::Tensor& packed, const at::Tensor& weight,
                                    bool fused) {
  return SwigluLinear::apply(packed, weight, fused);
}

std::vector<at::Tensor> recomputed(const std::vector<at::Tensor>& inputs, Body body) {
  // A vector's tensors would be no inputs of the graph; a TensorList's are.
  return Recomputed::apply(at::TensorList(inputs), c10::make_intrusive<KeptBody>(std::move(body)));
}

}  // namespace stepscope::llm
