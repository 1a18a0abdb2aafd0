// SPDX-License-Identifier: Apache-2.0
// On kernels/: nothing dense but the preactivations, no gradient of the decoder in memory, and
// nothing that waits for the device but end_select(). Equal keys are cut by (column, token), least
// first.
#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/aten/batch_topk.hpp"
#include "kernels/aten/bitmask.hpp"
#include "kernels/aten/sparse_decoder.hpp"
#include "reference_trainers/clt/model/sparse_ops.hpp"
#include "reference_trainers/clt/model/stacked_layers.hpp"

namespace stepscope::clt {
namespace {

// The most features of a decoder (kernels/sparse_decoder).
constexpr std::int64_t kMostFeatures = (std::int64_t{1} << 21) - 1;

constexpr std::int64_t kSpareEntries = 32;

class KernelOps final : public SparseOps {
 public:
  KernelOps(const SparseShape& shape, std::unique_ptr<KernelSelection> selection)
      : shape_(shape), selection_(std::move(selection)) {}

  ActiveFeatures begin_select(const at::Tensor& preactivations, std::int64_t count,
                              const Meanwhile& meanwhile) override {
    if (selection_ != nullptr) {
      selected_ = {selection_->begin(preactivations, meanwhile), room_for_own(preactivations)};
    } else {
      meanwhile();
      selected_ = {mask_of(preactivations, count), count};
    }
    return {tokens_of(preactivations, selected_.count), {}};
  }

  bool end_select(ActiveFeatures& active, const at::Tensor& preactivations) override {
    if (selection_ == nullptr) return true;
    const KernelSelection::Bits begun = std::exchange(selected_, selection_->end(preactivations));
    last_own_ = selected_.count;
    const bool held = selected_.words.is_same(begun.words) && selected_.count <= begun.count;
    active = {held ? first_of(active.by_token, selected_.count)
                   : tokens_of(preactivations, selected_.count),
              {}};
    return held;
  }

  bool add_to_listed(const at::Tensor& addends) override {
    addends_ = addends;
    return true;
  }

  void list_columns(ActiveFeatures& active, const at::Tensor& preactivations) override {
    if (!active.by_column.offsets.defined())
      active.by_column = columns_of(preactivations, selected_.count);
  }

  void count_silent_steps(const ActiveFeatures& active, double threshold,
                          const at::Tensor& steps) override {
    aten::count_silent_steps(active.by_column, threshold, steps);
  }

  at::Tensor decode(const AdamState& weights, const AdamState& bias,
                    const ActiveFeatures& active) override {
    return aten::decoder_outputs(shape_, active.by_token, weights.parameters, bias.parameters);
  }

  SquaredLoss squared_loss(const at::Tensor& outputs, const at::Tensor& targets,
                           const at::Tensor& deviations, double factor) override {
    return aten::squared_loss(outputs, targets, deviations, factor);
  }

  at::Tensor activation_gradient(const AdamState& weights, const ActiveFeatures& active,
                                 const at::Tensor& output_gradients) override {
    return aten::decoder_activation_gradient(shape_, active.by_token, weights.parameters,
                                             output_gradients);
  }

  ByColumn by_column(const ActiveFeatures& active, const at::Tensor& values) override {
    const FeatureList& to = active.by_column;
    const aten::TurnedValues found =
        aten::turned({active.by_token.offsets, active.by_token.indices, values}, to, shape_.layers);
    return {{to.offsets, found.rows, found.values}, found.sums};
  }

  at::Tensor weight_gradient(const ActiveFeatures& active,
                             const at::Tensor& output_gradients) override {
    return aten::decoder_weight_gradient(shape_, active.by_column, output_gradients);
  }

  void update_decoder(AdamState& weights, const ActiveFeatures& active,
                      const at::Tensor& output_gradients, double learning_rate,
                      std::int64_t step) override {
    aten::fused_adam_decoder(weights, shape_, active.by_column, output_gradients,
                             adam_settings(learning_rate, step));
  }

  void update_silent(AdamState& weights, const ActiveFeatures& active, double learning_rate,
                     std::int64_t step) override {
    aten::silent_adam_decoder(weights, shape_, active.by_column,
                              adam_settings(learning_rate, step));
  }
  void update_others(AdamState& weights, const ActiveFeatures& active,
                     const at::Tensor& output_gradients, double learning_rate,
                     std::int64_t step) override {
    aten::lazy_adam_decoder(weights, shape_, active.by_column, output_gradients,
                            adam_settings(learning_rate, step));
  }

  void update(AdamState& state, const at::Tensor& gradients, double learning_rate,
              std::int64_t step) override {
    aten::fused_adam(state, gradients.contiguous(), adam_settings(learning_rate, step));
  }

  // Some layers are a decoder of one layer, whose output gradients are the inputs of all, one
  // layer's behind the other's.
  void update_encoder(AdamState& weights, const FeatureList& gradients,
                      const std::vector<at::Tensor>& inputs, double learning_rate,
                      std::int64_t step) override {
    const at::Tensor rows = stacked_layers(inputs).flatten(0, 1);
    const std::int64_t at_once = std::max<std::int64_t>(kMostFeatures / shape_.features, 1);
    for (std::int64_t layer = 0; layer < shape_.layers; layer += at_once) {
      const std::int64_t end = std::min(layer + at_once, shape_.layers);
      const auto of_layers = [&](const at::Tensor& all) { return all.slice(0, layer, end); };
      AdamState of{of_layers(weights.parameters), of_layers(weights.first_moments),
                   of_layers(weights.second_moments)};
      const std::int64_t first = layer * shape_.features, last = end * shape_.features;
      if (weights.coded()) of.scales = weights.scales.slice(0, first, last);
      const FeatureList lines{gradients.offsets.slice(0, first, last + 1), gradients.indices,
                              gradients.values};
      aten::fused_adam_decoder(of, {1, last - first, shape_.model, rows.size(0)}, lines, rows,
                               adam_settings(learning_rate, step));
    }
  }

 private:
  FeatureList tokens_of(const at::Tensor& preactivations, std::int64_t count) const {
    return aten::bitmask_list(selected_.words, preactivations, kernels::BitmaskLines::rows, count,
                              addends_);
  }

  FeatureList columns_of(const at::Tensor& preactivations, std::int64_t count) const {
    return aten::bitmask_list(selected_.words, preactivations, kernels::BitmaskLines::columns,
                              count, addends_);
  }

  static FeatureList first_of(const FeatureList& list, std::int64_t count) {
    return {list.offsets, list.indices.slice(0, 0, count), list.values.slice(0, 0, count)};
  }

  // Returns the room for the rank's own entries, for lists that are made before the host knows how
  // many there are. It is close to the true number, because kernels are chosen by it.
  std::int64_t room_for_own(const at::Tensor& preactivations) const {
    const std::int64_t most = selection_->most(preactivations);
    return last_own_ ? std::min(most, *last_own_ + *last_own_ / 8 + kSpareEntries) : most;
  }

  at::Tensor mask_of(const at::Tensor& preactivations, std::int64_t count) {
    return aten::batch_topk_mask(preactivations,
                                 {.count = count, .keys = kernels::KeySource::z_score}, memory_);
  }

  SparseShape shape_;
  std::unique_ptr<KernelSelection> selection_;
  at::Tensor addends_;              // to listed values; undefined: none
  KernelSelection::Bits selected_;  // last
  std::optional<std::int64_t> last_own_;
  aten::BatchTopkMemory memory_;  // with the last step's warm start
};

}  // namespace

std::unique_ptr<SparseOps> make_kernel_ops(const SparseShape& shape,
                                           std::unique_ptr<KernelSelection> selection) {
  return std::make_unique<KernelOps>(shape, std::move(selection));
}

}  // namespace stepscope::clt
