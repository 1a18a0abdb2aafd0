// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/pairwise_cosine.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "kernels/aten/device_call.hpp"
#include "kernels/pairwise_cosine/pairwise_cosine_reference.hpp"

namespace stepscope::aten {
namespace {

using VectorSetsVariables = torch::autograd::variable_list;

kernels::VectorSets vector_sets(const at::Tensor& vectors, const at::Tensor& lengths) {
  kernels::VectorSets sets;
  sets.vectors = vectors.const_data_ptr();
  sets.type = key_type_of(vectors, "vectors");
  sets.sets = vectors.size(0);
  sets.count = vectors.size(1);
  sets.width = vectors.size(2);
  if (lengths.defined()) sets.lengths = lengths.const_data_ptr<std::int32_t>();
  return sets;
}

void distances_on_host(const kernels::PairwiseCosine& call) {
  const kernels::PairwiseCosineExpected found = kernels::pairwise_cosine_reference(call.sets);
  const auto rounded = [](double number) { return static_cast<float>(number); };
  std::transform(found.scores.begin(), found.scores.end(), call.scores, rounded);
  std::transform(found.distances.begin(), found.distances.end(), call.distances, rounded);
}

at::Tensor gradient_on_host(const kernels::PairwiseCosineGradient& call,
                            const at::Tensor& vectors) {
  const std::vector<double> found =
      kernels::pairwise_cosine_gradient_reference(call.sets, call.of_scores, call.of_distances);
  const at::Tensor out = at::empty(vectors.sizes(), at::TensorOptions(at::kDouble));
  std::copy(found.begin(), found.end(), out.mutable_data_ptr<double>());
  return out.to(vectors.scalar_type());
}

class MeanDistances : public torch::autograd::Function<MeanDistances> {
 public:
  static VectorSetsVariables forward(torch::autograd::AutogradContext* context,
                                     const at::Tensor& vectors,
                                     const std::optional<at::Tensor>& used) {
    const at::Tensor lengths = used.value_or(at::Tensor());
    const at::TensorOptions floats = vectors.options().dtype(at::kFloat);
    const at::Tensor scores = at::empty({vectors.size(0)}, floats);
    const at::Tensor distances = at::empty({vectors.size(0), vectors.size(1)}, floats);
    kernels::PairwiseCosine call{vector_sets(vectors, lengths)};
    call.scores = scores.mutable_data_ptr<float>();
    call.distances = distances.mutable_data_ptr<float>();
    context->save_for_backward({vectors, lengths});
    if (on_host(vectors, "vectors")) {
      must("pairwise_cosine", validate(call));
      distances_on_host(call);
    } else {
      const DeviceCall device(vectors);
      must("pairwise_cosine", kernels::pairwise_cosine(call, device.stream()));
    }
    return {scores, distances};
  }

  static VectorSetsVariables backward(torch::autograd::AutogradContext* context,
                                      const VectorSetsVariables& gradients) {
    once_differentiable("pairwise_cosine");
    const VectorSetsVariables saved = context->get_saved_variables();
    const at::Tensor& vectors = saved[0];
    const at::Tensor of_scores = gradients[0].contiguous();
    const at::Tensor of_distances = gradients[1].contiguous();
    kernels::PairwiseCosineGradient call{vector_sets(vectors, saved[1])};
    call.of_scores = of_scores.const_data_ptr<float>();
    call.of_distances = of_distances.const_data_ptr<float>();
    if (vectors.is_cpu()) return {gradient_on_host(call, vectors), at::Tensor()};
    const at::Tensor out = at::empty_like(vectors);
    call.gradients = out.mutable_data_ptr();
    const DeviceCall device(vectors);
    must("pairwise_cosine", kernels::pairwise_cosine_gradient(call, device.stream()));
    return {out, at::Tensor()};
  }
};

at::Tensor checked_lengths(const at::Tensor& lengths, const at::Tensor& vectors) {
  check_together(lengths, "lengths", vectors);
  check_type(lengths, "lengths", at::kInt);
  TORCH_CHECK(lengths.dim() == 1 && lengths.size(0) == vectors.size(0), "lengths: must be [",
              vectors.size(0), "]");
  if (lengths.is_cpu() && lengths.numel() > 0)
    TORCH_CHECK(lengths.min().item<int>() >= 0 && lengths.max().item<int>() <= vectors.size(1),
                "lengths: must be 0 to ", vectors.size(1));
  return lengths.contiguous();
}

}  // namespace

std::tuple<at::Tensor, at::Tensor> pairwise_cosine(const at::Tensor& vectors,
                                                   const std::optional<at::Tensor>& lengths) {
  TORCH_CHECK(vectors.dim() == 3, "vectors: must have 3 dimensions, has ", vectors.dim());
  std::optional<at::Tensor> used;
  if (lengths) used = checked_lengths(*lengths, vectors);
  const VectorSetsVariables found = MeanDistances::apply(vectors.contiguous(), used);
  return {found[0], found[1]};
}

}  // namespace stepscope::aten
