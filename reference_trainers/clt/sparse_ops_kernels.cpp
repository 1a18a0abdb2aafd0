// SPDX-License-Identifier: Apache-2.0
// On kernels/: nothing dense but the preactivations, no gradient of the decoder in memory, and
// nothing that waits for the device. Equal keys are cut by (column, token), least first.
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

#include <stdexcept>
#include <utility>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/bitmask/bitmask_outputs.hpp"
#include "kernels/fused_adam/fused_adam.hpp"
#include "kernels/sparse_decoder/sparse_decoder.hpp"
#include "reference_trainers/clt/sparse_ops.hpp"

namespace stepscope::clt {
namespace {

constexpr CUstream_st* kDefaultStream = nullptr;

void must(const kernels::Status& status) {
  if (!status.ok()) throw std::runtime_error("CUDA kernel: " + status.message());
}

at::Tensor bytes(std::size_t count, at::Device device) {
  return at::empty({static_cast<std::int64_t>(count)}, at::TensorOptions(device).dtype(at::kByte));
}

kernels::ActiveFeatures view_of(const FeatureList& list) {
  return {.offsets = list.offsets.const_data_ptr<std::int64_t>(),
          .indices = list.indices.const_data_ptr<std::int32_t>(),
          .values = list.values.const_data_ptr(),
          .value_type = kernels::KeyType::float32,
          .capacity = list.indices.size(0)};
}

kernels::AdamState view_of(AdamState& state) {
  return {.parameters = state.parameters.mutable_data_ptr<float>(),
          .first_moments = state.first_moments.mutable_data_ptr<float>(),
          .second_moments = state.second_moments.mutable_data_ptr<float>()};
}

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
    const kernels::Bitmask bits{reinterpret_cast<const std::uint32_t*>(mask.words.const_data_ptr()),
                                shape_.tokens, shape_.columns()};
    return {list_of(bits, kernels::BitmaskLines::rows, preactivations, mask.count),
            list_of(bits, kernels::BitmaskLines::columns, preactivations, mask.count)};
  }

  at::Tensor decode(const AdamState& weights, const AdamState& bias,
                    const ActiveFeatures& active) override {
    at::Tensor outputs =
        at::empty({shape_.tokens, shape_.layers, shape_.model}, weights.parameters.options());
    kernels::SparseDecoderForward arguments;
    arguments.shape = shape_;
    arguments.by_token = view_of(active.by_token);
    arguments.weights = weights.parameters.const_data_ptr();
    arguments.weight_type = kernels::KeyType::float32;
    arguments.bias = bias.parameters.const_data_ptr<float>();
    arguments.outputs = {outputs.mutable_data_ptr(), kernels::KeyType::float32,
                         shape_.layers * shape_.model, shape_.model};
    must(kernels::sparse_decoder_forward(arguments, kDefaultStream));
    return outputs;
  }

  at::Tensor activation_gradient(const AdamState& weights, const ActiveFeatures& active,
                                 const at::Tensor& output_gradients) override {
    at::Tensor gradients = at::empty_like(active.by_token.values);
    kernels::SparseDecoderActivationGradient arguments;
    arguments.shape = shape_;
    arguments.by_token = view_of(active.by_token);
    arguments.weights = weights.parameters.const_data_ptr();
    arguments.weight_type = kernels::KeyType::float32;
    arguments.output_gradients = rows_of(output_gradients);
    arguments.gradients = gradients.mutable_data_ptr();
    arguments.gradient_type = kernels::KeyType::float32;
    arguments.workspace_bytes = kernels::sparse_decoder_workspace_bytes(arguments);
    const at::Tensor workspace = bytes(arguments.workspace_bytes, gradients.device());
    arguments.workspace = workspace.mutable_data_ptr();
    must(kernels::sparse_decoder_activation_gradient(arguments, kDefaultStream));
    return gradients;
  }

  at::Tensor weight_gradient(const ActiveFeatures& active,
                             const at::Tensor& output_gradients) override {
    at::Tensor gradients = at::empty({shape_.weights()}, output_gradients.options());
    kernels::SparseDecoderWeightGradient arguments;
    arguments.shape = shape_;
    arguments.by_feature = view_of(active.by_column);
    arguments.output_gradients = rows_of(output_gradients);
    arguments.gradients = gradients.mutable_data_ptr();
    arguments.gradient_type = kernels::KeyType::float32;
    must(kernels::sparse_decoder_weight_gradient(arguments, kDefaultStream));
    return gradients;
  }

  void update_decoder(AdamState& weights, const ActiveFeatures& active,
                      const at::Tensor& output_gradients, double learning_rate,
                      std::int64_t step) override {
    kernels::FusedAdamDecoder arguments;
    arguments.state = view_of(weights);
    arguments.shape = shape_;
    arguments.by_feature = view_of(active.by_column);
    arguments.output_gradients = rows_of(output_gradients);
    arguments.settings = settings_of(learning_rate, step);
    must(kernels::fused_adam_decoder(arguments, kDefaultStream));
  }

  void update(AdamState& state, const at::Tensor& gradients, double learning_rate,
              std::int64_t step) override {
    const at::Tensor contiguous = gradients.contiguous();
    kernels::FusedAdam arguments;
    arguments.state = view_of(state);
    arguments.count = contiguous.numel();
    arguments.gradients = contiguous.mutable_data_ptr();
    arguments.settings = settings_of(learning_rate, step);
    must(kernels::fused_adam(arguments, kDefaultStream));
  }

  // A layer is a decoder of one layer, whose output gradients are the inputs.
  void update_encoder(AdamState& weights, const FeatureList& gradients,
                      const std::vector<at::Tensor>& inputs, double learning_rate,
                      std::int64_t step) override {
    for (std::int64_t layer = 0; layer < shape_.layers; ++layer) {
      AdamState of{weights.parameters.select(0, layer), weights.first_moments.select(0, layer),
                   weights.second_moments.select(0, layer)};
      const at::Tensor rows = inputs[static_cast<std::size_t>(layer)].contiguous();
      kernels::FusedAdamDecoder arguments;
      arguments.state = view_of(of);
      arguments.shape = {1, shape_.features, shape_.model, shape_.tokens};
      arguments.by_feature = view_of(gradients);
      arguments.by_feature.offsets += layer * shape_.features;
      arguments.output_gradients = {rows.const_data_ptr(), kernels::KeyType::float32, shape_.model,
                                    shape_.model};
      arguments.settings = settings_of(learning_rate, step);
      must(kernels::fused_adam_decoder(arguments, kDefaultStream));
    }
  }

 private:
  kernels::ConstLayerRows rows_of(const at::Tensor& gradients) const {
    return {gradients.const_data_ptr(), kernels::KeyType::float32, shape_.layers * shape_.model,
            shape_.model};
  }

  // The warm start is the last step's: it changes the speed alone.
  at::Tensor mask_of(const at::Tensor& preactivations, std::int64_t count) {
    const at::Device device = preactivations.device();
    kernels::BatchTopkArguments arguments;
    arguments.keys = preactivations.const_data_ptr();
    arguments.key_type = kernels::KeyType::float32;
    arguments.rows = shape_.tokens;
    arguments.columns = shape_.columns();
    arguments.count = count;
    arguments.nan = kernels::NanPolicy::select;  // as at::topk
    arguments.column_keys.source = kernels::KeySource::z_score;
    if (!workspace_.defined()) {
      workspace_ = bytes(kernels::batch_topk_workspace_bytes(arguments), device);
      mean_ = at::empty({shape_.columns()}, preactivations.options());
      scale_ = at::empty_like(mean_);
      result_ = bytes(sizeof(kernels::BatchTopkResult), device);
      warm_start_ = at::zeros({sizeof(kernels::BatchTopkWarmStart)}, result_.options());
    }
    at::Tensor mask = at::empty({shape_.tokens * kernels::mask_words_per_row(shape_.columns())},
                                preactivations.options().dtype(at::kInt));
    arguments.column_keys.mean = mean_.mutable_data_ptr<float>();
    arguments.column_keys.scale = scale_.mutable_data_ptr<float>();
    arguments.mask = reinterpret_cast<std::uint32_t*>(mask.mutable_data_ptr());
    arguments.result = reinterpret_cast<kernels::BatchTopkResult*>(result_.mutable_data_ptr());
    arguments.warm_start =
        reinterpret_cast<kernels::BatchTopkWarmStart*>(warm_start_.mutable_data_ptr());
    arguments.workspace = workspace_.mutable_data_ptr();
    arguments.workspace_bytes = static_cast<std::size_t>(workspace_.numel());
    must(kernels::batch_topk(arguments, kDefaultStream));
    return mask;
  }

  FeatureList list_of(const kernels::Bitmask& bits, kernels::BitmaskLines lines,
                      const at::Tensor& preactivations, std::int64_t count) const {
    const std::int64_t line_count =
        lines == kernels::BitmaskLines::rows ? shape_.tokens : shape_.columns();
    const at::TensorOptions options = preactivations.options();
    FeatureList list{at::empty({line_count + 1}, options.dtype(at::kLong)),
                     at::empty({count}, options.dtype(at::kInt)), at::empty({count}, options)};
    kernels::BitmaskList wanted;
    wanted.lines = lines;
    wanted.offsets = list.offsets.mutable_data_ptr<std::int64_t>();
    wanted.indices = list.indices.mutable_data_ptr<std::int32_t>();
    wanted.capacity = count;
    wanted.keys = preactivations.const_data_ptr();
    wanted.values = list.values.mutable_data_ptr();
    wanted.key_type = kernels::KeyType::float32;
    wanted.workspace_bytes = kernels::bitmask_list_workspace_bytes(bits, lines);
    const at::Tensor workspace = bytes(wanted.workspace_bytes, preactivations.device());
    wanted.workspace = workspace.mutable_data_ptr();
    must(kernels::bitmask_list(bits, wanted, kDefaultStream));
    return list;
  }

  SparseShape shape_;
  std::unique_ptr<KernelSelection> selection_;
  at::Tensor workspace_, mean_, scale_, result_, warm_start_;
};

}  // namespace

std::unique_ptr<SparseOps> make_kernel_ops(const SparseShape& shape,
                                           std::unique_ptr<KernelSelection> selection) {
  return std::make_unique<KernelOps>(shape, std::move(selection));
}

}  // namespace stepscope::clt
