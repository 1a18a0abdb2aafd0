// SPDX-License-Identifier: Apache-2.0
// The dense formulation: activations are scattered into a matrix, and a source layer is one product
// with all its targets. Equal keys are cut as at::topk cuts them.
#include <ATen/TensorOperators.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/zeros.h>

#include <utility>

#include "reference_trainers/clt/model/sparse_ops.hpp"
#include "reference_trainers/clt/selection/batch_topk.hpp"

namespace stepscope::clt {
namespace {

// Lists the set entries of a boolean matrix, a line a row.
FeatureList list_of(const at::Tensor& mask, const at::Tensor& values) {
  const at::Tensor zero = at::zeros({1}, mask.options().dtype(at::kLong));
  const at::Tensor entries = at::nonzero(mask);
  return {at::cat({zero, mask.sum(1).cumsum(0)}), entries.select(1, 1).to(at::kInt),
          values.index({mask})};
}

class AtenOps final : public SparseOps {
 public:
  AtenOps(const SparseShape& shape, std::unique_ptr<ShardedSelection> selection,
          std::int64_t hierarchical_ranks)
      : shape_(shape), selection_(std::move(selection)), hierarchical_ranks_(hierarchical_ranks) {}

  ActiveFeatures begin_select(const at::Tensor& preactivations, std::int64_t count,
                              const Meanwhile& meanwhile) override {
    meanwhile();
    const std::int64_t k = count / preactivations.size(0);
    const at::Tensor mask = selection_ != nullptr ? selection_->mask(preactivations)
                                                  : selection_mask(ranking_keys(preactivations), k,
                                                                   hierarchical_ranks_);
    return {list_of(mask, preactivations), list_of(mask.t(), preactivations.t())};
  }

  at::Tensor decode(const AdamState& weights, const AdamState& bias,
                    const ActiveFeatures& active) override {
    return decode_dense(shape_, weights.parameters, bias.parameters,
                        dense_activations(shape_, active.by_token));
  }

  at::Tensor activation_gradient(const AdamState& weights, const ActiveFeatures& active,
                                 const at::Tensor& output_gradients) override {
    const at::Tensor rows = output_gradients.view({shape_.tokens, -1});
    const at::Tensor dense = at::empty({shape_.tokens, shape_.columns()}, rows.options());
    for (std::int64_t source = 0; source < shape_.layers; ++source) {
      at::Tensor of = of_source(dense, source);
      at::mm_out(of, of_targets(rows, source),
                 weights_of_source(shape_, weights.parameters, source).t());
    }
    return dense.view({-1}).index_select(0, places_of(active.by_token, shape_.columns()));
  }

  at::Tensor weight_gradient(const ActiveFeatures& active,
                             const at::Tensor& output_gradients) override {
    const at::Tensor dense = dense_activations(shape_, active.by_token);
    const at::Tensor rows = output_gradients.view({shape_.tokens, -1});
    at::Tensor gradients = at::empty({shape_.weights()}, output_gradients.options());
    for (std::int64_t source = 0; source < shape_.layers; ++source) {
      at::Tensor of = weights_of_source(shape_, gradients, source);
      at::mm_out(of, of_source(dense, source).t(), of_targets(rows, source));
    }
    return gradients;
  }

  void update(AdamState& state, const at::Tensor& gradients, double learning_rate,
              std::int64_t step) override {
    if (state.coded())
      return aten::fused_adam(state, gradients.contiguous(), adam_settings(learning_rate, step));
    const at::Tensor steps = at::full({}, static_cast<double>(step), gradients.options());
    at::_fused_adam_({state.parameters}, {gradients}, {state.first_moments}, {state.second_moments},
                     {}, {steps}, learning_rate, 0.9, 0.999,
                     /*weight_decay=*/0, 1e-8, /*amsgrad=*/false, /*maximize=*/false);
  }

 private:
  at::Tensor of_source(const at::Tensor& columns, std::int64_t source) const {
    return columns.slice(1, source * shape_.features, (source + 1) * shape_.features);
  }
  at::Tensor of_targets(const at::Tensor& rows, std::int64_t source) const {
    return rows.slice(1, source * shape_.model);
  }

  SparseShape shape_;
  std::unique_ptr<ShardedSelection> selection_;
  std::int64_t hierarchical_ranks_;
};

}  // namespace

std::unique_ptr<SparseOps> make_aten_ops(const SparseShape& shape,
                                         std::unique_ptr<ShardedSelection> selection,
                                         std::int64_t hierarchical_ranks) {
  return std::make_unique<AtenOps>(shape, std::move(selection), hierarchical_ranks);
}

}  // namespace stepscope::clt
