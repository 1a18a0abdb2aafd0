// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/fp8_linear.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_unsafe_view.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include "reference_trainers/llm/model/fused_ops.hpp"

namespace stepscope::llm {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using Variables = torch::autograd::variable_list;

at::Tensor rows_of(const at::Tensor& x) {
  return x.reshape({-1, x.size(-1)}).contiguous();
}

std::vector<std::int64_t> with_last(const at::Tensor& x, std::int64_t size) {
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes.back() = size;
  return sizes;
}

void keep_site(AutogradContext* context, const char* name, const Fp8SitePtr& site) {
  context->saved_data[name] = c10::IValue::make_capsule(site);
}
Fp8SitePtr kept_site(AutogradContext* context, const char* name) {
  return c10::static_intrusive_pointer_cast<Fp8Site>(context->saved_data[name].toCapsule());
}

// [rows, outputs].
at::Tensor forward_product(const Fp8Matrix& in, const Fp8Site& site, at::ScalarType type) {
  return fp8_product(in.codes, in.inverse, site.codes.codes, site.codes.inverse, type,
                     /*fast=*/true);
}
// [rows, inputs].
at::Tensor input_gradient(const Fp8Matrix& through, const Fp8Site& site, at::ScalarType type) {
  return fp8_product(through.codes, through.inverse, site.codes.transposed, site.codes.inverse,
                     type, site.mode->fast_gradient_sums);
}
// [outputs, inputs]; of the input its transposed codes.
at::Tensor weight_gradient(const Fp8Matrix& through, const at::Tensor& in,
                           const at::Tensor& in_inverse, const Fp8Site& site) {
  return fp8_product(through.transposed, through.inverse, in, in_inverse, site.weight.scalar_type(),
                     site.mode->fast_gradient_sums);
}

// What autograd is given is no view, so that later operations may write over it.
class Fp8Linear : public Function<Fp8Linear> {
 public:
  // The weight is here for its gradient.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& /*weight*/, const Fp8SitePtr& site) {
    const Fp8Matrix in = site->quantised(site->of_input, rows_of(x));
    context->save_for_backward({in.transposed, in.inverse});
    keep_site(context, "site", site);
    return at::_unsafe_view(forward_product(in, *site, x.scalar_type()),
                            with_last(x, site->weight.size(0)));
  }

  static Variables backward(AutogradContext* context, const Variables& gradients) {
    const Variables saved = context->get_saved_variables();
    const Fp8SitePtr site = kept_site(context, "site");
    const at::Tensor& gradient = gradients[0];
    const Fp8Matrix through = site->quantised(site->of_gradient, rows_of(gradient));
    return {input_gradient(through, *site, gradient.scalar_type())
                .view(with_last(gradient, site->weight.size(1))),
            weight_gradient(through, saved[0], saved[1], *site),
            {}};
  }
};

Fp8Matrix hidden_codes(const Fp8Site& down, const at::Tensor& packed) {
  if (down.mode->scales_known) return quantised_swiglu(down.of_input, packed);
  return quantised_by_itself(down.of_input, swiglu(packed));
}

Fp8Matrix packed_gradient_codes(const Fp8Site& gate_up, const at::Tensor& packed,
                                const at::Tensor& through) {
  if (gate_up.mode->scales_known)
    return quantised_swiglu_gradient(gate_up.of_gradient, packed, through);
  const at::AutoGradMode with_gradients(true);
  const at::Tensor leaf = packed.detach().set_requires_grad(true);
  const Variables gradient = torch::autograd::grad({swiglu(leaf)}, {leaf}, {through});
  return quantised_by_itself(gate_up.of_gradient, gradient[0].contiguous());
}

class Fp8FeedForward : public Function<Fp8FeedForward> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& /*gate_up*/, const at::Tensor& /*down*/,
                            const Fp8SitePtr& gate_up, const Fp8SitePtr& down) {
    const Fp8Matrix in = gate_up->quantised(gate_up->of_input, rows_of(x));
    const at::Tensor packed = forward_product(in, *gate_up, x.scalar_type());
    const Fp8Matrix hidden = hidden_codes(*down, packed);
    context->save_for_backward(
        {in.transposed, in.inverse, packed, hidden.transposed, hidden.inverse});
    keep_site(context, "gate_up", gate_up);
    keep_site(context, "down", down);
    return at::_unsafe_view(forward_product(hidden, *down, x.scalar_type()),
                            with_last(x, down->weight.size(0)));
  }

  static Variables backward(AutogradContext* context, const Variables& gradients) {
    const Variables saved = context->get_saved_variables();
    const Fp8SitePtr gate_up = kept_site(context, "gate_up"), down = kept_site(context, "down");
    const at::Tensor &gradient = gradients[0], &packed = saved[2];
    const at::ScalarType type = gradient.scalar_type();
    const Fp8Matrix of_out = down->quantised(down->of_gradient, rows_of(gradient));
    const at::Tensor of_hidden = input_gradient(of_out, *down, type);
    const Fp8Matrix of_packed = packed_gradient_codes(*gate_up, packed, of_hidden);
    return {input_gradient(of_packed, *gate_up, type)
                .view(with_last(gradient, gate_up->weight.size(1))),
            weight_gradient(of_packed, saved[0], saved[1], *gate_up),
            weight_gradient(of_out, saved[3], saved[4], *down),
            {},
            {}};
  }
};

class Fp8HeadLoss : public Function<Fp8HeadLoss> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& /*weight*/, const at::Tensor& targets, double share,
                            const Fp8SitePtr& site) {
    const Fp8Matrix in = site->quantised(site->of_input, rows_of(x));
    const at::Tensor logits = forward_product(in, *site, x.scalar_type());
    const at::Tensor losses = token_losses(logits, targets);
    const Fp8Matrix through =
        quantised_loss_gradient(site->of_gradient, logits, targets, losses, share);
    context->save_for_backward(
        {in.transposed, in.inverse, through.codes, through.transposed, through.inverse});
    context->saved_data["sizes"] = x.sizes().vec();
    context->saved_data["type"] = static_cast<std::int64_t>(x.scalar_type());
    keep_site(context, "site", site);
    return losses.sum().mul_(share / static_cast<double>(losses.numel()));
  }

  static Variables backward(AutogradContext* context, const Variables&) {
    const Variables saved = context->get_saved_variables();
    const Fp8SitePtr site = kept_site(context, "site");
    const Fp8Matrix through{saved[2], saved[3], saved[4]};
    const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
    return {input_gradient(through, *site, type).view(context->saved_data["sizes"].toIntVector()),
            weight_gradient(through, saved[0], saved[1], *site),
            {},
            {},
            {}};
  }
};

}  // namespace

at::Tensor fp8_head_loss(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& targets,
                         double share, const Fp8SitePtr& site) {
  return Fp8HeadLoss::apply(x, weight, targets, share, site);
}

at::Tensor fp8_linear(const at::Tensor& x, const at::Tensor& weight, const Fp8SitePtr& site) {
  return Fp8Linear::apply(x, weight, site);
}

at::Tensor fp8_feed_forward(const at::Tensor& x, const at::Tensor& gate_up, const at::Tensor& down,
                            const Fp8Sites& sites) {
  return Fp8FeedForward::apply(x, gate_up, down, sites.gate_up, sites.down);
}

}  // namespace stepscope::llm
