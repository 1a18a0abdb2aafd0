// SPDX-License-Identifier: Apache-2.0
// Reads the blocks of a store (block_order.hpp), one after the other, as they are stored.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/activation_files/activation_files.hpp"
#include "reference_trainers/activation_files/block_order.hpp"
#include "reference_trainers/activation_files/chunk_file.hpp"
#include "reference_trainers/activation_files/recycled_memory.hpp"

namespace stepscope::trainers {

// Neighbouring rows of a chunk.
struct RowSpan {
  std::size_t chunk;
  std::int64_t first, rows;
};

// The chunks in order, each cut into equal spans of at most so many bytes (one row at least).
std::vector<RowSpan> cut(const ActivationFiles& files, std::int64_t most_bytes);

struct Block {
  BlockDraw draw;
  RowSpan span;
  at::Tensor values;  // [2, layers, rows, d_model], inputs then targets, of the files' type
};

class BlockReader {
 public:
  BlockReader(ActivationFiles files, std::int64_t most_bytes, at::Generator random);

  // Continues as if so many batches had been taken. Before the first block.
  void skip(std::int64_t batches, std::int64_t batch) { order_.skip(batches, batch); }

  // The next one in the order.
  Result<Block> next();
  // The rows of any span, into memory that was used before where nobody holds it any more.
  Result<at::Tensor> read(const RowSpan& span);

  const ActivationFiles& files() const { return files_; }
  const std::vector<RowSpan>& spans() const { return spans_; }

 private:
  at::Tensor free_memory(std::int64_t rows);
  Status open(std::size_t chunk);

  ActivationFiles files_;
  std::vector<RowSpan> spans_;
  BlockOrder order_;
  std::unique_ptr<ChunkFile> file_;
  std::size_t open_chunk_ = 0;  // where file_ is set
  RecycledMemory memory_;       // memory for the largest span
};

}  // namespace stepscope::trainers
