// SPDX-License-Identifier: Apache-2.0
// One shard of a whole matrix in device memory, and what tests of several shards on one GPU share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/common/device_buffer.hpp"
#include "kernels/common/stream.hpp"
#include "tests/kernels/shard_topk/whole_and_shards.hpp"
#include "tests/kernels/support/device_keys.hpp"
#include "tests/kernels/support/gpu_found.hpp"

namespace stepscope::kernels {

inline void wait(const Stream& stream) {
  cuda_check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
}

template <class T>
class ShardOnDevice {
 public:
  explicit ShardOnDevice(const typename WholeMatrix<T>::Part& part)
      : matrix(part.arguments),
        keys_(part.keys),
        mean_(part.mean),
        scale_(part.scale),
        mask_(static_cast<std::size_t>(matrix.rows * mask_words_per_row(matrix.columns))),
        result_(1) {
    matrix.keys = keys_.data();
    matrix.column_keys.mean = mean_.data();
    matrix.column_keys.scale = scale_.data();
    matrix.mask = mask_.data();
    matrix.result = result_.data();
  }

  // batch_topk of the shard alone.
  void select(const Stream& stream) {
    BatchTopkArguments own = matrix;
    own.workspace_bytes = batch_topk_workspace_bytes(own);
    const DeviceBuffer<std::byte> workspace(own.workspace_bytes);
    own.workspace = workspace.data();
    EXPECT_EQ(batch_topk(own, stream.get()).message(), "");
    wait(stream);
  }

  // A byte an entry.
  std::vector<std::uint8_t> selected() const {
    const std::vector<std::uint32_t> words = mask_.to_host();
    const std::int64_t words_per_row = mask_words_per_row(matrix.columns);
    std::vector<std::uint8_t> bytes;
    for (std::int64_t row = 0; row < matrix.rows; ++row)
      for (std::int64_t column = 0; column < matrix.columns; ++column)
        bytes.push_back(words[static_cast<std::size_t>(row * words_per_row + column / 32)] >>
                            (column % 32) &
                        1U);
    return bytes;
  }

  BatchTopkArguments matrix;

 private:
  DeviceKeys<T> keys_;
  DeviceBuffer<float> mean_, scale_;
  DeviceBuffer<std::uint32_t> mask_;
  DeviceBuffer<BatchTopkResult> result_;
};

template <class T>
class ShardsTest : public testing::Test {
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }
};
using ShardKeyTypes = testing::Types<Bfloat16, Float16, float>;

}  // namespace stepscope::kernels
