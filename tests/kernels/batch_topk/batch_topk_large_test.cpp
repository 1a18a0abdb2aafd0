// SPDX-License-Identifier: Apache-2.0
// Sizes that the reference cannot sort in reasonable time, judged on the device. Small shapes have
// fewer rows, and as large a share of the entries; a warp of the first three still gets more strips
// than its ring holds.
#include <gtest/gtest.h>

#include "tests/kernels/batch_topk/on_device.hpp"
#include "tests/kernels/support/device_data.hpp"
#include "tests/kernels/support/small_shapes.hpp"

namespace stepscope::kernels {
namespace {

struct Large {
  KeyType type;
  std::int64_t rows, columns, count;
  std::int64_t small_rows = 0;  // 0: the case is its size

  Large small() const { return {type, small_rows, columns, count * small_rows / rows}; }
};

class BatchTopkLarge : public testing::TestWithParam<Large> {};

TEST_P(BatchTopkLarge, CutsTheOrderAtTheCount) {
  if (!gpu_found()) GTEST_SKIP() << "no GPU";
  const Large large = sized<Large>(GetParam(), GetParam().small());
  if (large.rows == 0) GTEST_SKIP() << "STEPSCOPE_SMALL_SHAPES: more than 2^32 entries";
  const auto bytes = static_cast<std::size_t>(large.rows * large.columns) * bytes_of(large.type);
  std::size_t free = 0;
  std::size_t total = 0;
  cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  if (bytes * 3 / 2 > free)
    GTEST_SKIP() << "needs " << (bytes * 3 / 2 >> 20) << " MiB of free device memory";
  const DeviceBuffer<std::byte> keys(bytes);
  const Stream stream;
  fill_normal(keys.data(), large.type, large.rows * large.columns, 7, stream.get());
  BatchTopkArguments arguments;
  arguments.keys = keys.data();
  arguments.key_type = large.type;
  arguments.rows = large.rows;
  arguments.columns = large.columns;
  arguments.count = large.count;
  const BatchTopkRun run(arguments);
  for (const BatchTopkStart start : {BatchTopkStart::sample, BatchTopkStart::none}) {
    arguments.start = start;
    arguments = run.bound(arguments);
    run.poison(0x33);
    ASSERT_EQ(batch_topk(arguments, stream.get()).message(), "");
    const MaskJudgement judgement = judge_mask(arguments, stream.get());
    EXPECT_EQ(judgement.unexpected, 0U);
    EXPECT_EQ(judgement.padding, 0U);
    EXPECT_EQ(judgement.selected, static_cast<unsigned long long>(large.count));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BatchTopkLarge,
                         testing::Values(Large{KeyType::bfloat16, 1024, 49152, 204800, 330},
                                         Large{KeyType::float16, 1024, 49152, 204800, 330},
                                         Large{KeyType::float32, 1024, 49152, 204800, 170},
                                         Large{KeyType::bfloat16, 1000, 49153, 200000, 170},
                                         Large{KeyType::float32, 777, 100001, 20000000, 50},
                                         Large{KeyType::bfloat16, 1024, 1600000, 204800, 5},
                                         Large{KeyType::bfloat16, 70000, 65536, 14000000},
                                         Large{KeyType::bfloat16, 4, 1500000000, 1000}));

}  // namespace
}  // namespace stepscope::kernels
