// SPDX-License-Identifier: Apache-2.0
// Micro-batches on the device, in order. Plain: made and copied where they are asked for. Ahead: a
// thread makes them in pinned memory, and each is copied on a stream of its own while the one
// before is trained on. With W ranks, each takes every W-th micro-batch of the run, so that
// together they read what one process reads that accumulates W times as many.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "core/support/result.hpp"
#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/data/token_stream.hpp"

namespace stepscope::llm {

struct Batch {
  at::Tensor inputs, targets;  // int64 [micro_batch, sequence]
  // Position of each input in its document, where documents are kept apart; else undefined.
  at::Tensor positions;
};

class BatchFeed {
 public:
  BatchFeed() = default;
  virtual ~BatchFeed() = default;
  BatchFeed(const BatchFeed&) = delete;
  BatchFeed& operator=(const BatchFeed&) = delete;

  // An Error: a shard's tokens could not be read, or are not of the vocabulary.
  virtual Result<Batch> next() = 0;
};

// The first is that of `first_step`.
std::unique_ptr<BatchFeed> make_feed(const Config& config, TokenStream stream, at::Device device,
                                     std::int64_t first_step);

// Micro-batch `index` of the run, [1, micro_batch, sequence + 1] on the CPU; with documents kept
// apart [2, ...]: tokens, then positions.
Result<at::Tensor> read_batch(const Config& config, TokenStream& stream, std::int64_t index,
                              bool pinned);

}  // namespace stepscope::llm
