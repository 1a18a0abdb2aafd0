// SPDX-License-Identifier: Apache-2.0
// On kernels/: nothing dense but the preactivations, no gradient of the decoder in memory, and
// nothing that waits for the device. Equal keys are cut by (column, token), least first.
#include <ATen/ops/empty.h>

#include <utility>

#include "kernels/aten/batch_topk.hpp"
#include "kernels/aten/bitmask.hpp"
#include "kernels/aten/sparse_decoder.hpp"
#include "reference_trainers/clt/sparse_ops.hpp"
#include "reference_trainers/common/span.hpp"

namespace stepscope::clt {
namespace {

kernels::AdamSettings settings_of(double learning_rate, std::int64_t step) {
  kernels::AdamSettings settings;
  settings.learning_rate = learning_rate;
  settings.step = step;
  return settings;
}

class KernelOps final : public SparseOps {
 public:
  KernelOps(const SparseShape& shape, std::unique_ptr<KernelSelection> selection)
      : shape_(shape), selection_(std::move(selection)) {}

  ActiveFeatures select(const at::Tensor& preactivations, std::int64_t count) override {
    if (selection_ != nullptr) return select_with_ranks(preactivations);
    selected_ = {mask_of(preactivations, count), count};
    return {tokens_of(preactivations, count), {}};
  }

  void list_columns(ActiveFeatures& active, const at::Tensor& preactivations) override {
    active.by_column = aten::bitmask_list(selected_.words, preactivations,
                                          kernels::BitmaskLines::columns, selected_.count);
  }

  at::Tensor decode(const AdamState& weights, const AdamState& bias,
                    const ActiveFeatures& active) override {
    return aten::decoder_outputs(shape_, active.by_token, weights.parameters, bias.parameters);
  }

  at::Tensor decode_in_parts(const AdamState& weights, const AdamState& bias,
                             const ActiveFeatures& active, int parts,
                             const std::function<void(const at::Tensor&)>& told) override {
    at::Tensor all =
        at::empty({shape_.tokens, shape_.layers, shape_.model}, weights.parameters.options());
    for (int i = 0; i < parts; ++i) {
      const trainers::Span tokens = trainers::share_of(shape_.tokens, i, parts);
      at::Tensor part = all.slice(0, tokens.begin, tokens.end);
      aten::decoder_outputs_of(tokens.begin, part, shape_, active.by_token, weights.parameters,
                               bias.parameters);
      told(part);
    }
    return all;
  }

  at::Tensor activation_gradient(const AdamState& weights, const ActiveFeatures& active,
                                 const at::Tensor& output_gradients) override {
    return aten::decoder_activation_gradient(shape_, active.by_token, weights.parameters,
                                             output_gradients);
  }

  ByColumn by_column(const ActiveFeatures& active, const at::Tensor& values) override {
    const FeatureList& to = active.by_column;
    const aten::TurnedValues found =
        aten::turned({active.by_token.offsets, active.by_token.indices, values}, to);
    return {{to.offsets, to.indices, found.values}, found.sums};
  }

  at::Tensor weight_gradient(const ActiveFeatures& active,
                             const at::Tensor& output_gradients) override {
    return aten::decoder_weight_gradient(shape_, active.by_column, output_gradients);
  }

  void update_decoder(AdamState& weights, const ActiveFeatures& active,
                      const at::Tensor& output_gradients, double learning_rate,
                      std::int64_t step) override {
    aten::fused_adam_decoder(weights, shape_, active.by_column, output_gradients,
                             settings_of(learning_rate, step));
  }

  void update(AdamState& state, const at::Tensor& gradients, double learning_rate,
              std::int64_t step) override {
    aten::fused_adam(state, gradients.contiguous(), settings_of(learning_rate, step));
  }

  // A layer is a decoder of one layer, whose output gradients are the inputs.
  void update_encoder(AdamState& weights, const FeatureList& gradients,
                      const std::vector<at::Tensor>& inputs, double learning_rate,
                      std::int64_t step) override {
    for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
      AdamState of{weights.parameters.select(0, layer), weights.first_moments.select(0, layer),
                   weights.second_moments.select(0, layer)};
      const std::int64_t first = layer * shape_.features;
      const FeatureList lines{gradients.offsets.slice(0, first, first + shape_.features + 1),
                              gradients.indices, gradients.values};
      aten::fused_adam_decoder(of, {1, shape_.features, shape_.model, shape_.tokens}, lines,
                               inputs[static_cast<std::size_t>(layer)].contiguous(),
                               settings_of(learning_rate, step));
    }
  }

 private:
  FeatureList tokens_of(const at::Tensor& preactivations, std::int64_t count) const {
    return aten::bitmask_list(selected_.words, preactivations, kernels::BitmaskLines::rows, count);
  }

  // The device makes the list with room for all while the host waits for its length.
  ActiveFeatures select_with_ranks(const at::Tensor& preactivations) {
    selected_ = {selection_->begin(preactivations), 0};
    FeatureList list = tokens_of(preactivations, selection_->most(preactivations));
    const at::Tensor begun = std::exchange(selected_, selection_->end(preactivations)).words;
    const std::int64_t count = selected_.count;
    if (!selected_.words.is_same(begun)) return {tokens_of(preactivations, count), {}};
    return {{list.offsets, list.indices.slice(0, 0, count), list.values.slice(0, 0, count)}, {}};
  }

  at::Tensor mask_of(const at::Tensor& preactivations, std::int64_t count) {
    return aten::batch_topk_mask(preactivations,
                                 {.count = count, .keys = kernels::KeySource::z_score}, memory_);
  }

  SparseShape shape_;
  std::unique_ptr<KernelSelection> selection_;
  KernelSelection::Bits selected_;  // last
  aten::BatchTopkMemory memory_;    // with the last step's warm start
};

}  // namespace

std::unique_ptr<SparseOps> make_kernel_ops(const SparseShape& shape,
                                           std::unique_ptr<KernelSelection> selection) {
  return std::make_unique<KernelOps>(shape, std::move(selection));
}

}  // namespace stepscope::clt
