// SPDX-License-Identifier: Apache-2.0
// The operations of a training step on lists of active features, implemented by kernels/ or, where
// there are none, by a dense formulation in ATen: the same results up to rounding, which is how
// each is tested.
//
// Preactivations are [tokens, layers * features], a layer's columns side by side. Decoder weights
// lie flat as kernels/sparse_decoder/decoder_shape.hpp says. Everything is fp32 and on one device;
// calls are enqueued on the device's current stream.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/aten/feature_list.hpp"
#include "kernels/aten/fused_adam.hpp"
#include "kernels/aten/squared_loss.hpp"
#include "kernels/sparse_decoder/decoder_shape.hpp"
#include "reference_trainers/clt/fixes.hpp"
#include "reference_trainers/clt/selection/sharded_selection.hpp"

namespace stepscope::clt {

using SparseShape = kernels::SparseDecoderShape;

using aten::ActiveFeatures;
using aten::AdamState;
using aten::FeatureList;
using aten::SquaredLoss;

AdamState untouched(const at::Tensor& parameters);  // moments are 0

// torch::optim::Adam's, but for these.
kernels::AdamSettings adam_settings(double learning_rate, std::int64_t step);

class SparseOps {
 public:
  SparseOps() = default;
  virtual ~SparseOps() = default;
  SparseOps(const SparseOps&) = delete;
  SparseOps& operator=(const SparseOps&) = delete;

  // The `count` entries that are greatest among the z-scores of their columns; equal ones as each
  // implementation documents. With a selection over ranks: this rank's of all ranks' entries.
  // Where by_column is undefined, list_columns() makes it: no forward pass waits for it.
  // `meanwhile` is called once, where the device would only wait for other ranks if there are any.
  // The lists are the answer once end_select() has said so; until then they may have room to spare,
  // or lack some, and only decode() of the same implementation takes them.
  using Meanwhile = std::function<void()>;
  virtual ActiveFeatures begin_select(const at::Tensor& preactivations, std::int64_t count,
                                      const Meanwhile& meanwhile) = 0;
  // Waits, where only the device knows. False: they were not, and are others now.
  virtual bool end_select(ActiveFeatures& /*active*/, const at::Tensor& /*preactivations*/) {
    return true;
  }
  ActiveFeatures select(const at::Tensor& preactivations, std::int64_t count) {
    ActiveFeatures active = begin_select(preactivations, count, [] {});
    (void)end_select(active, preactivations);
    return active;
  }
  // Adds `addends` (one a column) to the values that are listed from now on; the selection does not
  // change, because it goes by z-scores of columns. The addends are read when lists are made. False
  // where this is not supported.
  virtual bool add_to_listed(const at::Tensor& /*addends*/) { return false; }
  // Lists the entries of the last selection by column.
  virtual void list_columns(ActiveFeatures& active, const at::Tensor& preactivations);
  // Counts, in place, how long features have had no value above the threshold: int64 [layers,
  // features].
  virtual void count_silent_steps(const ActiveFeatures& active, double threshold,
                                  const at::Tensor& steps);

  // [tokens, layers, model]
  virtual at::Tensor decode(const AdamState& weights, const AdamState& bias,
                            const ActiveFeatures& active) = 0;

  // Returns the loss of outputs, [tokens, layers, model]: factor * (deviations * (outputs -
  // targets))^2.
  virtual SquaredLoss squared_loss(const at::Tensor& outputs, const at::Tensor& targets,
                                   const at::Tensor& deviations, double factor);

  // Returns the gradient of each value of by_token: [entries].
  virtual at::Tensor activation_gradient(const AdamState& weights, const ActiveFeatures& active,
                                         const at::Tensor& output_gradients) = 0;

  // These values, in the order of by_token, as the list by column that update_encoder() takes, and
  // each column's sum.
  struct ByColumn {
    FeatureList list;
    at::Tensor sums;
  };
  virtual ByColumn by_column(const ActiveFeatures& active, const at::Tensor& values);

  // Returns the gradient of the decoder, as its weights lie.
  virtual at::Tensor weight_gradient(const ActiveFeatures& active,
                                     const at::Tensor& output_gradients) = 0;

  // Adam as torch::optim::Adam has it, with its defaults; steps count from 1. The decoder's update
  // is weight_gradient followed by update unless an implementation has a faster way.
  virtual void update_decoder(AdamState& weights, const ActiveFeatures& active,
                              const at::Tensor& output_gradients, double learning_rate,
                              std::int64_t step);
  // The same in two calls, of which the first needs no gradients: what it updates is of features
  // without an entry, or nothing.
  virtual void update_silent(AdamState& weights, const ActiveFeatures& active, double learning_rate,
                             std::int64_t step);
  virtual void update_others(AdamState& weights, const ActiveFeatures& active,
                             const at::Tensor& output_gradients, double learning_rate,
                             std::int64_t step);
  virtual void update(AdamState& state, const at::Tensor& gradients, double learning_rate,
                      std::int64_t step) = 0;

  // Updates the encoder, [layers, features, model], from the gradients of selected preactivations,
  // as by_column() gives them, and from one tensor of inputs a layer, [tokens, model]; other
  // preactivations have no gradient.
  virtual void update_encoder(AdamState& weights, const FeatureList& gradients,
                              const std::vector<at::Tensor>& inputs, double learning_rate,
                              std::int64_t step);
};

// `selection`: over several ranks; null: a rank alone, with so many hierarchical ones.
std::unique_ptr<SparseOps> make_aten_ops(const SparseShape& shape,
                                         std::unique_ptr<ShardedSelection> selection = nullptr,
                                         std::int64_t hierarchical_ranks = 1);

// Null where this build has no CUDA kernels.
std::unique_ptr<SparseOps> make_kernel_ops(const SparseShape& shape,
                                           std::unique_ptr<KernelSelection> selection = nullptr);

// Each part of a step (select; decoder and its gradients; both updates) by `kernels` where its fix
// is on, else by `dense`.
std::unique_ptr<SparseOps> make_mixed_ops(std::unique_ptr<SparseOps> dense,
                                          std::unique_ptr<SparseOps> kernels, const Fixes& fixes);

// The decoders of one source layer, a view of the flat weights: [features, (layers - source) *
// model].
at::Tensor weights_of_source(const SparseShape& shape, const at::Tensor& flat, std::int64_t source);

// The values of by_token where they lie in [tokens, columns], else 0.
at::Tensor dense_activations(const SparseShape& shape, const FeatureList& by_token);

// Decodes such activations, by one product a source layer: [tokens, layers, model].
at::Tensor decode_dense(const SparseShape& shape, const at::Tensor& weights, const at::Tensor& bias,
                        const at::Tensor& activations);

// by_column with these values, which are in the order of by_token.
FeatureList by_column_of(const ActiveFeatures& active, const at::Tensor& values);

// Returns the sum of each line's values: [lines].
at::Tensor line_sums(const FeatureList& list);

// Returns where an entry of by_token lies in the flat preactivations: int64 [entries].
at::Tensor places_of(const FeatureList& by_token, std::int64_t columns);

// Returns why the kernels cannot take the shape; empty where they can.
const char* problem_for_kernels(const SparseShape& shape);

}  // namespace stepscope::clt
