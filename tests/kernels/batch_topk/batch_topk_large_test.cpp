// SPDX-License-Identifier: Apache-2.0
// Sizes that the reference cannot sort in reasonable time, judged on the device. Small shapes have
// fewer rows, and as large a share of the entries; a warp of the first three still gets more strips
// than its ring holds.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/kernels/batch_topk/against_reference.hpp"
#include "tests/kernels/batch_topk/on_device.hpp"
#include "tests/kernels/support/device_data.hpp"
#include "tests/kernels/support/key_patterns.hpp"
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

// Wide matrices, of which the statistics' blocks sample their columns, each or some.
template <class T>
class BatchTopkWide : public testing::Test {};
TYPED_TEST_SUITE(BatchTopkWide, KeyTypes);

// Keys whose columns differ as trained features do, neighbours least: of some thousands each, some
// never rise, and a quarter has three quarters of what is selected.
double feature(std::int64_t /*row*/, std::int64_t column, std::mt19937& random) {
  constexpr unsigned kOneIn[] = {1000000, 3000, 300, 100, 30, 3000, 1000000, 10};
  const bool rises =
      random() % kOneIn[static_cast<std::size_t>(column) / 2048 % std::size(kOneIn)] == 0;
  return 0.1 * normal(random) + (rises ? std::fabs(normal(random)) : 0);
}

TYPED_TEST(BatchTopkWide, SamplesBesideTheStatistics) {
  if (!gpu_found()) GTEST_SKIP() << "no GPU";
  std::vector<KeyPattern> patterns = key_patterns();
  std::erase_if(patterns, [](const KeyPattern& pattern) {
    return pattern.name != "normal" && pattern.name != "some NaN" && pattern.name != "all equal" &&
           pattern.name != "one hot row" && pattern.name != "period of a sector";
  });
  patterns.push_back({"features", feature});
  struct Wide {
    std::int64_t rows, columns;
  };
  for (const Wide& full : {Wide{64, 40000}, Wide{18, 140001}}) {
    const Wide shape = sized(full, Wide{8, full.columns / 20});
    for (const KeyPattern& pattern : patterns) {
      const DeviceKeys<TypeParam> keys(made_keys<TypeParam>(pattern, shape.rows, shape.columns));
      const auto columns = static_cast<std::size_t>(shape.columns);
      const DeviceBuffer<float> mean(columns), scale(columns);
      BatchTopkArguments arguments;
      arguments.keys = keys.data();
      arguments.key_type = KeyTypeOf<TypeParam>::value;
      arguments.rows = shape.rows;
      arguments.columns = shape.columns;
      arguments.count = shape.rows * shape.columns / 250;
      arguments.column_keys = {KeySource::z_score, 1e-6F, mean.data(), scale.data()};
      const BatchTopkRun run(arguments);
      arguments = run.bound(arguments);
      const Stream stream;
      run.poison(0x5a);
      ASSERT_EQ(batch_topk(arguments, stream.get()).message(), "");
      const MaskJudgement judgement = judge_mask(arguments, stream.get());
      EXPECT_EQ(judgement.unexpected, 0U) << pattern.name;
      EXPECT_EQ(judgement.padding, 0U) << pattern.name;
      EXPECT_EQ(judgement.selected, static_cast<unsigned long long>(arguments.count))
          << pattern.name;
      if (pattern.name == "normal" || pattern.name == "features") {
        EXPECT_EQ(run.answer().result.path, BatchTopkPath::sampled) << pattern.name;
        EXPECT_EQ(run.answer().result.reads, 2U) << pattern.name;
      }
    }
  }
}

// So many strips a warp that sweeps stop where their bracket is far off, and so few selected that a
// sweep which must not stop would.
TEST(BatchTopkStopped, EndsRightBehindSweepsThatStopped) {
  if (!gpu_found()) GTEST_SKIP() << "no GPU";
  if (sized(1, 0) == 0) GTEST_SKIP() << "STEPSCOPE_SMALL_SHAPES: 400 MB";
  constexpr std::int64_t kRows = 1024, kColumns = 196608;
  const Stream stream;
  const DeviceBuffer<std::byte> keys(std::size_t{kRows} * kColumns * 2);
  fill_normal(keys.data(), KeyType::bfloat16, kRows * kColumns, 7, stream.get());
  const DeviceBuffer<BatchTopkWarmStart> warm(1);
  BatchTopkArguments arguments;
  arguments.keys = keys.data();
  arguments.rows = kRows;
  arguments.columns = kColumns;
  arguments.count = 204800;
  const BatchTopkRun run(arguments);
  using Start = std::optional<BatchTopkWarmStart>;  // none: from scratch
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{204800}})
    for (const Start& start : {Start{{1, 2}}, Start{{0, 0xffff}}, Start{{0xfffe, 0xffff}},
                               Start{{0x8000, 0x8001}}, Start{}}) {
      const DeviceBuffer<std::int64_t> device_count(std::vector<std::int64_t>{count});
      BatchTopkArguments call = run.bound(arguments);
      call.device_count = device_count.data();
      call.start = start ? BatchTopkStart::sample : BatchTopkStart::none;
      if (start) {
        warm.put({*start});
        call.warm_start = warm.data();
      }
      run.poison(0xa5);
      ASSERT_EQ(batch_topk(call, stream.get()).message(), "");
      const MaskJudgement judgement = judge_mask(call, stream.get());
      const std::string what =
          std::to_string(count) + (start ? " warm from " + std::to_string(start->low) : "");
      EXPECT_EQ(judgement.unexpected, 0U) << what;
      EXPECT_EQ(judgement.padding, 0U) << what;
      EXPECT_EQ(judgement.selected, static_cast<unsigned long long>(count)) << what;
      EXPECT_EQ(run.answer().result.nan_count, 0) << what;
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
