// SPDX-License-Identifier: Apache-2.0
// auxiliary_loss.hpp written out for the step on lists: value and gradients, over the columns of
// dead features alone. All of it is dense ATen, and where no feature is dead it is one small read
// of the device and nothing else.
//
// It touches vectors of the decoder (of a dead feature, for its own layer) that the step itself may
// touch as well, and Adam must see the sum of both gradients. So these vectors are taken out before
// the decoder's update, which knows nothing of this loss, and put back updated by the sum.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/model/sparse_ops.hpp"
#include "reference_trainers/clt/ranks/ranks.hpp"

namespace stepscope::clt {

// A layer of which this rank has dead features.
struct AuxiliaryLayer {
  std::int64_t layer = 0;
  at::Tensor columns, features;  // int64 [dead]: in the preactivations, and within the layer
  at::Tensor kept;               // [tokens, dead]: 0 where a token does not keep the feature
  AdamState vectors;             // [dead, model]: the decoder's, for the layer itself
  at::Tensor output_gradients;   // [tokens, model]: of what is decoded from `kept`
};

struct Auxiliary {
  at::Tensor loss;  // undefined where no feature is dead, on any rank
  std::vector<AuxiliaryLayer> layers;
};

// dead: boolean [layers, features]; errors: prediction less target in the original space, [tokens,
// layers, model]; deviations [layers, model].
Auxiliary auxiliary_of(const SparseShape& shape, const Config& config, const Ranks& ranks,
                       const at::Tensor& dead, const at::Tensor& preactivations,
                       const AdamState& decoder, const at::Tensor& errors,
                       const at::Tensor& deviations);

// Adds to the gradients of all preactivations, [tokens, columns].
void add_preactivation_gradients(const Auxiliary& auxiliary, at::Tensor& gradients);

// Returns the gradients of `vectors`: the sum of this loss's and of that of the step's own lists
// with its output gradients [tokens, layers, model]. `activations` are those of the lists, dense:
// [tokens, columns].
at::Tensor vector_gradients(const AuxiliaryLayer& of, const at::Tensor& activations,
                            const at::Tensor& output_gradients);

// Updates the vectors, behind the decoder's own update of that step.
void update_vectors(Auxiliary& auxiliary, SparseOps& ops, const SparseShape& shape,
                    AdamState& decoder, const ActiveFeatures& active,
                    const at::Tensor& output_gradients, double learning_rate, std::int64_t step);

}  // namespace stepscope::clt
