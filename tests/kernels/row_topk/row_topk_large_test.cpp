// SPDX-License-Identifier: Apache-2.0
// Matrices of the sizes that the kernel is for, and beyond 2^32 entries; some rows are judged.
// Among the small shapes, one still has more rows than blocks.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/common/stream.hpp"
#include "tests/kernels/row_topk/judge_rows.hpp"
#include "tests/kernels/support/device_data.hpp"
#include "tests/kernels/support/device_keys.hpp"
#include "tests/kernels/support/gpu_found.hpp"
#include "tests/kernels/support/small_shapes.hpp"

namespace stepscope::kernels {
namespace {

struct Large {
  KeyType type;
  std::int64_t rows, columns, count;
  std::int64_t small_rows = 0, small_columns = 0;  // 0 rows: the case is its size

  Large small() const { return {type, small_rows, small_columns, count}; }
};

class RowTopkLarge : public testing::TestWithParam<Large> {};

TEST_P(RowTopkLarge, SelectsInEachRow) {
  if (!gpu_found()) GTEST_SKIP() << "no GPU";
  const Large large = sized<Large>(GetParam(), GetParam().small());
  if (large.rows == 0) GTEST_SKIP() << "STEPSCOPE_SMALL_SHAPES: more than 2^32 entries";
  const auto bytes = static_cast<std::size_t>(large.rows * large.columns) * bytes_of(large.type);
  std::size_t free = 0;
  std::size_t total = 0;
  cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  if (bytes * 5 / 4 > free)
    GTEST_SKIP() << "needs " << (bytes * 5 / 4 >> 20) << " MiB of free device memory";
  const DeviceBuffer<std::byte> keys(bytes);
  const DeviceBuffer<std::int32_t> columns(static_cast<std::size_t>(large.rows * large.count));
  const Stream stream;
  fill_normal(keys.data(), large.type, large.rows * large.columns, 7, stream.get());
  columns.fill_bytes(0xa5);
  RowTopkArguments arguments;
  arguments.keys = keys.data();
  arguments.key_type = large.type;
  arguments.rows = large.rows;
  arguments.columns = large.columns;
  arguments.count = large.count;
  arguments.columns_out = columns.data();
  ASSERT_EQ(row_topk(arguments, stream.get()).message(), "");
  stream.synchronize();
  EXPECT_TRUE(rows_are_right(arguments, std::max<std::int64_t>((large.rows - 1) / 40, 1)));
}

INSTANTIATE_TEST_SUITE_P(Sizes, RowTopkLarge,
                         testing::Values(Large{KeyType::bfloat16, 1024, 49152, 200, 66, 49152},
                                         Large{KeyType::float16, 1024, 49152, 512, 66, 49152},
                                         Large{KeyType::float32, 1024, 49152, 512, 66, 49152},
                                         Large{KeyType::bfloat16, 1000, 49153, 200, 66, 49153},
                                         Large{KeyType::float32, 777, 131071, 512, 24, 131071},
                                         Large{KeyType::bfloat16, 131072, 4096, 32, 1100, 4096},
                                         Large{KeyType::bfloat16, 33001, 131072, 64},
                                         Large{KeyType::bfloat16, 3, 30000001, 512, 3, 1000001}));

}  // namespace
}  // namespace stepscope::kernels
