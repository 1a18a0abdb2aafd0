// SPDX-License-Identifier: Apache-2.0
// Made sequences. Each domain has a table of successors: a token is followed by its successor nine
// times in ten, else by any. So the loss can fall far below that of guessing, and a model that
// knows the domain falls further.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <memory>

#include "reference_trainers/activation_files/read_ahead.hpp"
#include "reference_trainers/common/copy_ahead.hpp"
#include "reference_trainers/tree/config.hpp"

namespace stepscope::tree {

class Sequences {
 public:
  explicit Sequences(const Config& config);

  // The domain of a step: its leaf.
  std::int64_t leaf_of(std::int64_t step) const;
  // int64 [sequences, sequence + 1] of a step, on the host.
  at::Tensor batch_of(std::int64_t step, bool pinned) const;
  // The sequences of a domain that are held out for evaluation.
  const at::Tensor& held_out(std::int64_t leaf) const {
    return held_out_[static_cast<std::size_t>(leaf)];
  }

 private:
  at::Tensor draw(std::int64_t leaf, std::int64_t count, at::Generator random, bool pinned) const;

  const Config config_;
  at::Tensor successors_;             // [domains, vocabulary]
  std::vector<at::Tensor> held_out_;  // by domain
};

// Batches on the device in the order of the steps.
class BatchFeed {
 public:
  BatchFeed(const Config& config, const Sequences& sequences, at::Device device);

  Result<at::Tensor> next();

 private:
  Result<at::Tensor> next_ahead();

  const Sequences& sequences_;
  const at::Device device_;
  std::int64_t next_ = 0;
  trainers::CopyAhead copies_;
  std::unique_ptr<trainers::ReadAhead<at::Tensor>> made_;  // with prefetch
  at::Tensor host_;                                        // whose copy has begun
  std::optional<trainers::CopyAhead::Copy> coming_;
};

}  // namespace stepscope::tree
