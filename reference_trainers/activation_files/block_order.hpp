// SPDX-License-Identifier: Apache-2.0
// In which order rows are drawn. Rows cannot be permuted one by one over files at speed, so the
// chunks are cut into blocks of neighbouring rows that fit into memory, and each epoch takes the
// blocks in a fresh shuffle, and the rows of each block in a fresh shuffle. (The rows of a chunk
// were shuffled when it was written, so a block is a fair sample of its chunk.) Batches are cut
// from that sequence, across the ends of blocks; what an epoch leaves over is dropped. The
// generator fixes all of it. A store of one block draws as rows in memory would be drawn.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace stepscope::trainers {

struct BlockDraw {
  std::size_t block = 0;
  at::Tensor rows;        // numbers within the block, shuffled
  std::int64_t used = 0;  // how many of them, from the front, batches that were skipped have used
  bool ends_epoch = false;
};

class BlockOrder {
 public:
  BlockOrder(std::vector<std::int64_t> block_rows, at::Generator random);

  BlockDraw next();

  // Continues as if so many batches had been cut. Before the first draw; nothing is read.
  void skip(std::int64_t batches, std::int64_t batch);

 private:
  BlockDraw draw();

  std::vector<std::int64_t> block_rows_;
  std::int64_t all_rows_ = 0;
  at::Generator random_;
  at::Tensor blocks_;  // this epoch's order
  std::int64_t next_ = 0;
  std::optional<BlockDraw> begun_;  // by skipped batches
};

}  // namespace stepscope::trainers
