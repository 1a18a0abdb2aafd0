// SPDX-License-Identifier: Apache-2.0
// A model's weights for the step on lists of active features: one tensor of each kind, with Adam's
// moments. They begin as those of model.hpp.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/model/sparse_ops.hpp"
#include "reference_trainers/clt/training/trainer.hpp"
#include "reference_trainers/common/span.hpp"

namespace stepscope::clt {

SparseShape sparse_shape(const Config& config);

struct SparseModel {
  SparseShape shape;
  AdamState encoder;       // [layers, features, model]
  AdamState encoder_bias;  // [layers * features]
  AdamState decoder;       // flat, as sparse_ops.hpp says
  AdamState decoder_bias;  // [layers * model]

  // A layer's inputs each, [tokens, model], to preactivations.
  at::Tensor encode(const std::vector<at::Tensor>& inputs) const;
  // The same without the bias.
  at::Tensor encode_without_bias(const std::vector<at::Tensor>& inputs) const;
  // Returns the gradient of the encoder's parameters, from that of all preactivations.
  at::Tensor encoder_gradient(const at::Tensor& preactivation_gradients,
                              const std::vector<at::Tensor>& inputs) const;
  // Returns the norm of each feature's decoders together: [layers * features].
  at::Tensor decoder_norms() const;

  std::int64_t parameter_count() const;
  TrainerState state() const;
};

// Makes a model with these features of each layer, as model.hpp has them.
SparseModel make_sparse_model(const Config& config, at::Device device, trainers::Span features);

}  // namespace stepscope::clt
