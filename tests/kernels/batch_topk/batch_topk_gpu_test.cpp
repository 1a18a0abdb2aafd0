// SPDX-License-Identifier: Apache-2.0
// The kernels against the reference: masks must be equal bit for bit, on every path.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "tests/kernels/batch_topk/against_reference.hpp"

namespace stepscope::kernels {
namespace {

TYPED_TEST_SUITE(BatchTopkGpu, KeyTypes);
TYPED_TEST(BatchTopkGpu, EqualsTheReferenceOnEveryPattern) {
  const Shape shape{40, 1000};
  Turns patterns(this->kFirstTurn);
  Turns counts(this->kFirstTurn);
  for (const KeyPattern& pattern : patterns.of(key_patterns(), 3)) {
    const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
    for (const std::int64_t count : counts.one_of(counts_for(shape.rows * shape.columns))) {
      BatchTopkArguments arguments;
      arguments.count = count;
      this->check(keys, shape, arguments, pattern.name);
    }
  }
}

TYPED_TEST(BatchTopkGpu, EqualsTheReferenceUnderEveryPolicy) {
  const Shape shape{16, 520};
  struct Policy {
    bool positives;
    NanPolicy nan;
  };
  const std::vector<Policy> all = {{false, NanPolicy::reject},
                                   {false, NanPolicy::select},
                                   {true, NanPolicy::reject},
                                   {true, NanPolicy::select}};
  Turns patterns(this->kFirstTurn);
  Turns policies(this->kFirstTurn);
  for (const KeyPattern& pattern : patterns.of(key_patterns(), 3)) {
    const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
    for (const Policy& policy : policies.one_of(all)) {
      BatchTopkArguments arguments;
      arguments.count = 150;
      arguments.nan = policy.nan;
      arguments.positives_only = policy.positives;
      this->check(keys, shape, arguments, pattern.name);
    }
  }
}

// More are wanted than there are NaN, so the bracket lies among numbers, below them all.
TYPED_TEST(BatchTopkGpu, SelectsNanAboveANumbersBracket) {
  const Shape shape{64, 1024};
  const std::int64_t entries = shape.rows * shape.columns;
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  std::vector<TypeParam> keys(static_cast<std::size_t>(entries));
  for (std::size_t i = 0; i < keys.size(); ++i)
    assign(keys[i], i % 97 == 5 ? std::numeric_limits<double>::quiet_NaN() : normal(random));
  for (const NanPolicy policy : {NanPolicy::select, NanPolicy::reject})
    for (const std::int64_t count : {entries / 50, entries / 8}) {
      BatchTopkArguments arguments;
      arguments.count = count;
      arguments.nan = policy;
      this->check(keys, shape, arguments, "NaN among normal keys");
    }
}

TYPED_TEST(BatchTopkGpu, EqualsTheReferenceOnEveryShape) {
  const KeyPattern pattern = key_patterns().front();
  Turns counts(this->kFirstTurn);
  for (const Shape& shape :
       {Shape{1, 1}, Shape{1, 7}, Shape{9, 1}, Shape{3, 33}, Shape{7, 256}, Shape{5, 257},
        Shape{2, 5000}, Shape{1, 65543}, Shape{4000, 3}, Shape{33, 4104}, Shape{64, 512, 1},
        Shape{64, 512, 3}, Shape{13, 4096}, Shape{100, 272}}) {
    const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
    for (const std::int64_t count : counts.one_of(counts_for(shape.rows * shape.columns))) {
      BatchTopkArguments arguments;
      arguments.count = count;
      this->check(keys, shape, arguments, "offset " + std::to_string(shape.offset));
    }
  }
}

// More equal keys than the candidates' memory holds, so places are digits too.
TYPED_TEST(BatchTopkGpu, CutsManyEqualKeysByPlace) {
  const Shape shape{sized(300, 70), 1024};
  const auto all =
      sized<std::vector<std::int64_t>>({1000, 150000, 200000, 307199}, {233, 35000, 46667, 71679});
  Turns counts(this->kFirstTurn);
  for (const KeyPattern& pattern : key_patterns()) {
    if (pattern.name != "all equal" && pattern.name != "relu" && pattern.name != "two values")
      continue;
    const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
    for (const std::int64_t count : counts.of(all, 2)) {
      BatchTopkArguments arguments;
      arguments.count = count;
      this->check(keys, shape, arguments, pattern.name);
    }
  }
}

// One value is so frequent that its candidates do not fit the slots of their bin: the cut falls
// among them, or just beside them.
TYPED_TEST(BatchTopkGpu, CutsWithinAndBesideABinThatIsFull) {
  const Shape shape{sized(512, 32), 4096};
  const auto all =
      sized<std::vector<std::int64_t>>({-300, 1, 9000, 21000, 23000}, {-20, 1, 560, 1300, 1460});
  std::vector<TypeParam> keys =
      made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns);
  for (std::size_t i = 0; i < keys.size(); i += 97) assign(keys[i], 2.0);
  const auto greater =
      std::count_if(keys.begin(), keys.end(), [](TypeParam key) { return to_float(key) > 2; });
  for (const std::int64_t beyond : all) {
    BatchTopkArguments arguments;
    arguments.count = greater + beyond;
    this->check(keys, shape, arguments, "beyond the frequent value's begin");
  }
}

// Some columns' keys fall where the stored ones rise, or are all alike, infinite or NaN.
void set_awkward_columns(std::vector<float>& mean, std::vector<float>& scale) {
  const float awkward_scales[] = {-1.0F, 0.0F, -0.0F, INFINITY, NAN, 1e-40F, 1e38F};
  for (std::size_t i = 0; i < std::size(awkward_scales); ++i) scale[20 + 3 * i] = awkward_scales[i];
  mean[50] = INFINITY;
  mean[60] = -INFINITY;
  mean[70] = NAN;
  mean[80] = 1e38F;
}

TYPED_TEST(BatchTopkGpu, RanksAffineKeysAsTheReferenceDoes) {
  Turns patterns(4 * this->kFirstTurn);
  for (const Shape& shape : {Shape{40, 1000}, Shape{17, 301}, Shape{64, 512, 1}, Shape{30, 5000}}) {
    std::vector<float> mean;
    std::vector<float> scale;
    for (std::int64_t column = 0; column < shape.columns; ++column) {
      mean.push_back(static_cast<float>(column % 13) * 0.1F);
      scale.push_back(1.0F / (0.1F + static_cast<float>(column % 7)));
    }
    if (shape.columns != 512) set_awkward_columns(mean, scale);
    const DeviceBuffer<float> mean_on_device(mean);
    const DeviceBuffer<float> scale_on_device(scale);
    for (const KeyPattern& pattern : patterns.of(key_patterns(), 10)) {
      const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
      auto arguments = arguments_for<TypeParam>(shape);
      arguments.keys = keys.data();
      arguments.count = 200;
      arguments.column_keys = {KeySource::affine, 0, mean.data(), scale.data()};
      const BatchTopkExpected expected = batch_topk_reference(arguments);
      const DeviceKeys<TypeParam> on_device(keys, shape.offset);
      arguments.keys = on_device.data();
      arguments.column_keys.mean = mean_on_device.data();
      arguments.column_keys.scale = scale_on_device.data();
      const Stream stream;
      const BatchTopkRun run(arguments);
      for (const BatchTopkStart start : {BatchTopkStart::sample, BatchTopkStart::none}) {
        arguments.start = start;
        expect_equal(run.call(arguments, stream), expected, text(arguments, pattern.name));
      }
      this->check_warm(arguments, run, expected, stream, pattern.name);
    }
  }
}

TYPED_TEST(BatchTopkGpu, ComputesStatisticsAndRanksByThem) {
  Turns patterns(this->kFirstTurn);
  // With 8 rows, the statistics' blocks sample all.
  for (const Shape& shape : {Shape{40, 1000}, Shape{8, 1000}, Shape{1, 300}, Shape{1100, 257},
                             Shape{64, 512, 1}, Shape{8, 509, 1}}) {
    for (const KeyPattern& pattern : patterns.of(key_patterns(), 5)) {
      const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
      const DeviceKeys<TypeParam> on_device(keys, shape.offset);
      const DeviceBuffer<float> mean_on_device(static_cast<std::size_t>(shape.columns));
      const DeviceBuffer<float> scale_on_device(static_cast<std::size_t>(shape.columns));
      auto arguments = arguments_for<TypeParam>(shape);
      arguments.keys = on_device.data();
      arguments.count = 100;
      arguments.column_keys = {KeySource::z_score, 1e-6F, mean_on_device.data(),
                               scale_on_device.data()};
      const Stream stream;
      const BatchTopkAnswer answer = run_batch_topk(arguments, stream);
      std::vector<float> mean = mean_on_device.to_host();
      std::vector<float> scale = scale_on_device.to_host();
      arguments.keys = keys.data();
      arguments.column_keys.mean = mean.data();
      arguments.column_keys.scale = scale.data();
      expect_equal(answer, batch_topk_reference(arguments), text(arguments, pattern.name));
      const ColumnStatistics exact = column_statistics_reference(arguments);
      for (std::size_t column = 0; column < mean.size(); ++column) {
        const double deviation = 1 / exact.scale[column];
        if (!std::isfinite(exact.scale[column])) continue;
        EXPECT_NEAR(mean[column], exact.mean[column],
                    1e-6 * (std::fabs(exact.mean[column]) + deviation))
            << pattern.name;
        EXPECT_NEAR(1 / scale[column], deviation,
                    2e-6 * (deviation + 1e-1 * std::fabs(exact.mean[column])))
            << pattern.name;
      }
    }
  }
}

TYPED_TEST(BatchTopkGpu, SelectsNothingWhereNothingIsAsked) {
  const std::vector<TypeParam> keys = made_keys<TypeParam>(key_patterns().front(), 5, 40);
  const DeviceKeys<TypeParam> on_device(keys);
  const Stream stream;
  for (const std::int64_t count : {0, -3}) {
    BatchTopkArguments arguments;
    arguments.key_type = KeyTypeOf<TypeParam>::value;
    arguments.keys = on_device.data();
    arguments.rows = 5;
    arguments.columns = 40;
    arguments.count = count;
    const BatchTopkAnswer answer = run_batch_topk(arguments, stream);
    EXPECT_EQ(answer.mask, std::vector<std::uint32_t>(10));
    EXPECT_EQ(answer.result.selected, 0);
    EXPECT_EQ(answer.result.threshold, INFINITY);
    arguments.rows = 0;
    arguments.count = 10;
    EXPECT_EQ(run_batch_topk(arguments, stream).result.selected, 0);
  }
}

}  // namespace
}  // namespace stepscope::kernels
