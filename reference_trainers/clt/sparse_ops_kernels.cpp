// SPDX-License-Identifier: Apache-2.0
// On kernels/: nothing dense but the preactivations, no gradient of the decoder in memory, and
// nothing that waits for the device. Equal keys are cut by (column, token), least first.
#include <utility>

#include "kernels/aten/batch_topk.hpp"
#include "kernels/aten/bitmask.hpp"
#include "kernels/aten/sparse_decoder.hpp"
#include "reference_trainers/clt/sparse_ops.hpp"

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
    const KernelSelection::Bits mask =
        selection_ != nullptr ? selection_->bits(preactivations)
                              : KernelSelection::Bits{mask_of(preactivations, count), count};
    const auto list_of = [&](kernels::BitmaskLines lines) {
      return aten::bitmask_list(mask.words, preactivations, lines, mask.count);
    };
    return {list_of(kernels::BitmaskLines::rows), list_of(kernels::BitmaskLines::columns)};
  }

  at::Tensor decode(const AdamState& weights, const AdamState& bias,
                    const ActiveFeatures& active) override {
    return aten::decoder_outputs(shape_, active.by_token, weights.parameters, bias.parameters);
  }

  at::Tensor activation_gradient(const AdamState& weights, const ActiveFeatures& active,
                                 const at::Tensor& output_gradients) override {
    return aten::decoder_activation_gradient(shape_, active.by_token, weights.parameters,
                                             output_gradients);
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
  at::Tensor mask_of(const at::Tensor& preactivations, std::int64_t count) {
    return aten::batch_topk_mask(preactivations,
                                 {.count = count, .keys = kernels::KeySource::z_score}, memory_);
  }

  SparseShape shape_;
  std::unique_ptr<KernelSelection> selection_;
  aten::BatchTopkMemory memory_;  // with the last step's warm start
};

}  // namespace

std::unique_ptr<SparseOps> make_kernel_ops(const SparseShape& shape,
                                           std::unique_ptr<KernelSelection> selection) {
  return std::make_unique<KernelOps>(shape, std::move(selection));
}

}  // namespace stepscope::clt
