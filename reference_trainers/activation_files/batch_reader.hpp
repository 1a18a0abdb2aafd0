// SPDX-License-Identifier: Apache-2.0
// Batches of a store, read ahead by two threads: one reads blocks from the files (every call of the
// HDF5 library is made there), one cuts them into batches. Ready batches hold at most a block's
// rows, and two batches. The threads begin with the first batch that is asked for.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "core/support/result.hpp"
#include "reference_trainers/activation_files/activation_files.hpp"
#include "reference_trainers/activation_files/batch_gather.hpp"
#include "reference_trainers/activation_files/block_reader.hpp"
#include "reference_trainers/activation_files/read_ahead.hpp"
#include "reference_trainers/common/span.hpp"

namespace stepscope::trainers {

struct ReaderSettings {
  std::int64_t batch;  // at most the store's rows
  std::uint64_t seed;
  std::optional<Span> own = {};  // the rows of each batch that are given; empty: all
  bool pinned = false;
  // Number of bytes whose rows are shuffled together, so it fixes the batches, as the seed does. At
  // most four blocks lie in memory.
  std::int64_t block_bytes = 256 << 20;
};

class BatchReader {
 public:
  BatchReader(const ActivationFiles& files, const ReaderSettings& settings);

  // [2, layers, own rows, d_model], inputs then targets, of the files' type, on the host.
  Result<at::Tensor> next();
  // The next one where it is ready.
  std::optional<Result<at::Tensor>> ready();

  // Continues as if so many batches had been taken. Before the first one nothing is read for it.
  void skip(std::int64_t batches);

 private:
  void begin();

  const ReaderSettings settings_;
  BlockReader blocks_;
  BatchGather batches_;
  // The later thread takes from the earlier one, so it ends first.
  std::unique_ptr<ReadAhead<Block>> blocks_ahead_;
  std::unique_ptr<ReadAhead<at::Tensor>> batches_ahead_;
  std::int64_t skipped_ = 0;
};

}  // namespace stepscope::trainers
