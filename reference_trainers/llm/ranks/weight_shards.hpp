// SPDX-License-Identifier: Apache-2.0
// ZeRO-1: each rank keeps the float32 masters and AdamW's moments of its share of every bucket, and
// changes those weights alone; then the ranks gather what the others changed. W ranks need 1/W of
// the optimizer's memory each.
//
// A run's state is written and read whole and by the weights' names, so that it may go on with any
// number of ranks, with shards or without.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "reference_trainers/comm/comm.hpp"
#include "reference_trainers/comm/gradient_buckets.hpp"
#include "reference_trainers/llm/model/parameters.hpp"

namespace stepscope::llm {

using trainers::Bucket;
using trainers::GradientBuckets;
using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

class WeightShards {
 public:
  // Moves the leaves into flat memory and lets the whole masters go.
  WeightShards(std::vector<Parameter>& parameters, const GradientBuckets& buckets,
               trainers::Comm& comm);

  // The parameters that AdamW changes: a share of each bucket, whose gradient is the bucket's own
  // sum.
  std::vector<Parameter> own() const { return own_; }
  // AdamW drops its parameters' gradients; here they are the buckets'.
  void attach_gradients() const;
  // Called after AdamW's step: then every rank has all weights.
  void gather() const;

  // Returns the whole state on every rank, in new memory, from AdamW's state of own().
  NamedTensors whole(const NamedTensors& own_state) const;
  // Memory for a whole state, without asking the others.
  NamedTensors whole_places(const NamedTensors& own_state) const;
  // Copies the shares of a whole state to AdamW's.
  void take(const NamedTensors& whole_state, const NamedTensors& own_state) const;

 private:
  // Named views of whole memory of each kind of state: of each bucket [ranks * share].
  NamedTensors named(const std::vector<at::Tensor>& whole, const NamedTensors& own_state) const;

  trainers::Comm& comm_;
  const GradientBuckets& buckets_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::int64_t>> sizes_;  // sizes of the parameters
  std::vector<at::Tensor> flat_;                  // weights of each bucket
  std::vector<Parameter> own_;
};

}  // namespace stepscope::llm
