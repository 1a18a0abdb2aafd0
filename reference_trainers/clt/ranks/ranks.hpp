// SPDX-License-Identifier: Apache-2.0
// One rank's share of a training run, and the exchanges with the other ranks.
//
//   features  every rank reads the same batch and holds some features of each layer: their columns
//             of the encoders and their rows of the decoders. Summed over the ranks is one
//             [layers, batch, d_model] a step, the decoders' outputs. The decoders' biases are
//             held by all and stay equal, for their gradients are computed from equal numbers.
//   data      every rank holds the whole model and takes some rows of the batch. Gradients are
//             summed.
//
// Losses, metrics and what BatchTopK selects are those of one rank that does it all, up to
// rounding; the selection is exact over all ranks either way.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/training/metrics.hpp"
#include "reference_trainers/comm/comm.hpp"
#include "reference_trainers/common/span.hpp"

namespace stepscope::clt {

class Ranks {
 public:
  // The group must outlive this.
  Ranks(const Config& config, trainers::Comm& comm);

  trainers::Comm& comm() const { return comm_; }
  bool alone() const { return comm_.size() == 1; }
  bool by_features() const { return !alone() && parallel_ == Parallel::features; }
  bool by_rows() const { return !alone() && parallel_ == Parallel::data; }

  // This rank's features of each layer; its rows of a batch.
  trainers::Span features() const { return features_; }
  trainers::Span rows() const { return rows_; }
  // The sizes of what this rank holds: its features, its rows.
  Config own(Config config) const;
  // Returns the share of the preactivations' entries that this rank holds.
  double share() const { return share_; }

  // Sums over the ranks, on every rank. The gradient is passed on as it is, so that each rank gets
  // the gradient of its own summands. Returns the tensor itself where a rank is alone.
  at::Tensor sum(const at::Tensor& own) const;
  // The same in place and without a gradient, beside what the device does from here on, which must
  // leave it alone until finish_sums().
  void begin_sum(const at::Tensor& own) const;
  void finish_sums() const;
  // Returns sum() where ranks share features; else the tensor itself.
  at::Tensor sum_of_features(const at::Tensor& own) const;
  // Keeps the greatest candidates of all ranks. Each rank has its own features' candidates, a row a
  // token, no more than `count` and none below 0; a candidate that is not among the row's `count`
  // greatest of all ranks becomes 0.
  at::Tensor keep_greatest(const at::Tensor& own, std::int64_t count) const;
  // All ranks' rows, a layer each.
  std::vector<at::Tensor> gather_rows(const std::vector<at::Tensor>& own) const;
  // Combines the metrics of features that one rank each holds into those of all features.
  Metrics of_all_features(const Metrics& own, at::Device device) const;
  // Sums the gradients in place.
  void sum_gradients(const std::vector<at::Tensor>& parameters) const;
  // Boolean: true where it is on some rank.
  at::Tensor any(const at::Tensor& own) const;

 private:
  trainers::Comm& comm_;
  Parallel parallel_;
  trainers::Span features_, rows_;
  double share_;
  std::int64_t most_features_;  // most features of any rank
};

// Checks whether the configuration can be trained by so many ranks.
Status check_ranks(const Config& config, int size);

}  // namespace stepscope::clt
