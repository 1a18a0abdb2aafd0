// SPDX-License-Identifier: Apache-2.0
// The kernels against the reference: masks must be equal bit for bit, on every path.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/batch_topk/batch_topk_reference.hpp"
#include "kernels/batch_topk/shard_counts.hpp"
#include "tests/kernels/batch_topk/on_device.hpp"
#include "tests/kernels/batch_topk/sharded_keys.hpp"
#include "tests/kernels/support/key_patterns.hpp"

namespace stepscope::kernels {
namespace {

struct Shape {
  std::int64_t rows, columns;
  std::size_t offset = 0;  // of the keys, in entries
};

std::string text(const BatchTopkArguments& arguments, const std::string& what) {
  return what + " " + std::to_string(arguments.rows) + " x " + std::to_string(arguments.columns) +
         " count " + std::to_string(arguments.count) +
         (arguments.nan == NanPolicy::select ? " select NaN" : "") +
         (arguments.positives_only ? " positives" : "") +
         (arguments.start == BatchTopkStart::none ? " from scratch" : "") +
         (arguments.warm_start != nullptr ? " warm" : "");
}

void expect_equal(const BatchTopkAnswer& answer, const BatchTopkExpected& expected,
                  const std::string& what) {
  EXPECT_EQ(answer.mask, expected.mask) << what;
  EXPECT_EQ(answer.result.selected, expected.selected) << what;
  EXPECT_EQ(answer.result.last_column, expected.last_column) << what;
  EXPECT_EQ(answer.result.last_row, expected.last_row) << what;
  const auto threshold = static_cast<double>(answer.result.threshold);
  EXPECT_TRUE(threshold == expected.threshold ||
              (std::isnan(threshold) && std::isnan(expected.threshold)))
      << what << ": " << threshold << ", expected " << expected.threshold;
}

std::vector<std::int64_t> counts_for(std::int64_t entries) {
  return {1, 2, entries / 250, entries / 20, entries / 2, entries - 1, entries, entries + 1};
}

template <class T>
class BatchTopkGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }

  // On all paths; `arguments` has the shape and the policies.
  void check(const std::vector<T>& keys, const Shape& shape, BatchTopkArguments arguments,
             const std::string& what) {
    arguments.key_type = KeyTypeOf<T>::value;
    arguments.rows = shape.rows;
    arguments.columns = shape.columns;
    arguments.keys = keys.data();
    const BatchTopkExpected expected = batch_topk_reference(arguments);
    const DeviceKeys<T> on_device(keys, shape.offset);
    arguments.keys = on_device.data();
    const Stream stream;
    for (const BatchTopkStart start : {BatchTopkStart::sample, BatchTopkStart::none}) {
      arguments.start = start;
      const BatchTopkAnswer answer = run_batch_topk(arguments, stream);
      expect_equal(answer, expected, text(arguments, what));
      EXPECT_EQ(answer.result.nan_count, expected.nan_count) << text(arguments, what);
    }
    arguments.start = BatchTopkStart::sample;
    check_warm(arguments, expected, stream, what);
  }

  // Nothing known, then what the call before left, then rubbish.
  void check_warm(BatchTopkArguments arguments, const BatchTopkExpected& expected,
                  const Stream& stream, const std::string& what) {
    const DeviceBuffer<BatchTopkWarmStart> warm(1);
    warm.fill_bytes(0);
    arguments.warm_start = warm.data();
    for (int repeat = 0; repeat < 3; ++repeat)
      expect_equal(run_batch_topk(arguments, stream), expected, text(arguments, what));
    for (const int rubbish : {0x7f, 0xff, 0x3c}) {
      warm.fill_bytes(rubbish);
      expect_equal(run_batch_topk(arguments, stream), expected, text(arguments, what));
    }
  }
};

using KeyTypes = testing::Types<Bfloat16, Float16, float>;
TYPED_TEST_SUITE(BatchTopkGpu, KeyTypes);

TYPED_TEST(BatchTopkGpu, EqualsTheReferenceOnEveryPattern) {
  const Shape shape{40, 1000};
  for (const KeyPattern& pattern : key_patterns()) {
    const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
    for (const std::int64_t count : counts_for(shape.rows * shape.columns)) {
      BatchTopkArguments arguments;
      arguments.count = count;
      this->check(keys, shape, arguments, pattern.name);
    }
  }
}

TYPED_TEST(BatchTopkGpu, EqualsTheReferenceUnderEveryPolicy) {
  const Shape shape{16, 520};
  for (const KeyPattern& pattern : key_patterns()) {
    const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
    for (const bool positives : {false, true})
      for (const NanPolicy nan : {NanPolicy::reject, NanPolicy::select}) {
        BatchTopkArguments arguments;
        arguments.count = 150;
        arguments.nan = nan;
        arguments.positives_only = positives;
        this->check(keys, shape, arguments, pattern.name);
      }
  }
}

TYPED_TEST(BatchTopkGpu, EqualsTheReferenceOnEveryShape) {
  const KeyPattern pattern = key_patterns().front();
  for (const Shape& shape :
       {Shape{1, 1}, Shape{1, 7}, Shape{9, 1}, Shape{3, 33}, Shape{7, 256}, Shape{5, 257},
        Shape{2, 5000}, Shape{1, 65543}, Shape{4000, 3}, Shape{33, 4104}, Shape{64, 512, 1},
        Shape{64, 512, 3}, Shape{13, 4096}, Shape{100, 272}}) {
    const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
    for (const std::int64_t count : counts_for(shape.rows * shape.columns)) {
      BatchTopkArguments arguments;
      arguments.count = count;
      this->check(keys, shape, arguments, "offset " + std::to_string(shape.offset));
    }
  }
}

// More equal keys than the candidates' memory holds, so places are digits too.
TYPED_TEST(BatchTopkGpu, CutsManyEqualKeysByPlace) {
  const Shape shape{300, 1024};
  for (const KeyPattern& pattern : key_patterns()) {
    if (pattern.name != "all equal" && pattern.name != "relu" && pattern.name != "two values")
      continue;
    const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
    for (const std::int64_t count : {1000, 150000, 200000, 307199}) {
      BatchTopkArguments arguments;
      arguments.count = count;
      this->check(keys, shape, arguments, pattern.name);
    }
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
    for (const KeyPattern& pattern : key_patterns()) {
      const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
      BatchTopkArguments arguments;
      arguments.key_type = KeyTypeOf<TypeParam>::value;
      arguments.rows = shape.rows;
      arguments.columns = shape.columns;
      arguments.keys = keys.data();
      arguments.count = 200;
      arguments.column_keys = {KeySource::affine, 0, mean.data(), scale.data()};
      const BatchTopkExpected expected = batch_topk_reference(arguments);
      const DeviceKeys<TypeParam> on_device(keys, shape.offset);
      arguments.keys = on_device.data();
      arguments.column_keys.mean = mean_on_device.data();
      arguments.column_keys.scale = scale_on_device.data();
      const Stream stream;
      for (const BatchTopkStart start : {BatchTopkStart::sample, BatchTopkStart::none}) {
        arguments.start = start;
        expect_equal(run_batch_topk(arguments, stream), expected, text(arguments, pattern.name));
      }
      this->check_warm(arguments, expected, stream, pattern.name);
    }
  }
}

TYPED_TEST(BatchTopkGpu, ComputesStatisticsAndRanksByThem) {
  for (const Shape& shape : {Shape{40, 1000}, Shape{1, 300}, Shape{1100, 257}, Shape{64, 512, 1}}) {
    for (const KeyPattern& pattern : key_patterns()) {
      const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
      const DeviceKeys<TypeParam> on_device(keys, shape.offset);
      const DeviceBuffer<float> mean_on_device(static_cast<std::size_t>(shape.columns));
      const DeviceBuffer<float> scale_on_device(static_cast<std::size_t>(shape.columns));
      BatchTopkArguments arguments;
      arguments.key_type = KeyTypeOf<TypeParam>::value;
      arguments.rows = shape.rows;
      arguments.columns = shape.columns;
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

TYPED_TEST(BatchTopkGpu, ReplaysInAGraph) {
  const Shape shape{64, 1024};
  const std::vector<TypeParam> first =
      made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns);
  std::vector<TypeParam> second = first;
  std::reverse(second.begin(), second.end());
  const DeviceKeys<TypeParam> on_device(first);
  BatchTopkArguments arguments;
  arguments.key_type = KeyTypeOf<TypeParam>::value;
  arguments.rows = shape.rows;
  arguments.columns = shape.columns;
  arguments.count = 300;
  arguments.keys = on_device.data();
  const BatchTopkRun run(arguments);
  const Stream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cuda_check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
             "cudaStreamBeginCapture");
  EXPECT_EQ(batch_topk(run.bound(arguments), stream.get()).message(), "");
  cuda_check(cudaStreamEndCapture(stream.get(), &graph), "cudaStreamEndCapture");
  cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  for (const std::vector<TypeParam>& keys : {first, second, first}) {
    cuda_check(cudaMemcpy(const_cast<TypeParam*>(on_device.data()), keys.data(),
                          keys.size() * sizeof(TypeParam), cudaMemcpyHostToDevice),
               "cudaMemcpy");
    run.poison(0x5a);
    cuda_check(cudaGraphLaunch(executable, stream.get()), "cudaGraphLaunch");
    stream.synchronize();
    BatchTopkArguments on_host = arguments;
    on_host.keys = keys.data();
    expect_equal(run.answer(), batch_topk_reference(on_host), "graph");
  }
  (void)cudaGraphExecDestroy(executable);
  (void)cudaGraphDestroy(graph);
}

// Both from scratch, where blocks wait for each other: neither may keep the other from finishing.
TYPED_TEST(BatchTopkGpu, RunsOnTwoStreamsAtOnce) {
  const Shape shape{512, 4096};
  const std::vector<TypeParam> keys =
      made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns);
  BatchTopkArguments arguments;
  arguments.key_type = KeyTypeOf<TypeParam>::value;
  arguments.rows = shape.rows;
  arguments.columns = shape.columns;
  arguments.count = 5000;
  arguments.keys = keys.data();
  const BatchTopkExpected expected = batch_topk_reference(arguments);
  const DeviceKeys<TypeParam> on_device(keys);
  arguments.keys = on_device.data();
  const Stream streams[2];
  const BatchTopkRun runs[2] = {BatchTopkRun(arguments), BatchTopkRun(arguments)};
  runs[0].poison(1);
  runs[1].poison(2);
  for (int repeat = 0; repeat < 20; ++repeat)
    for (int i = 0; i < 2; ++i) {
      arguments.start = (repeat + i) % 3 == 0 ? BatchTopkStart::sample : BatchTopkStart::none;
      EXPECT_EQ(batch_topk(runs[i].bound(arguments), streams[i].get()).message(), "");
    }
  for (int i = 0; i < 2; ++i) {
    streams[i].synchronize();
    expect_equal(runs[i].answer(), expected, "stream " + std::to_string(i));
  }
}

// The paths are those that the tests mean to take.
TYPED_TEST(BatchTopkGpu, SaysWhichWayItWent) {
  const Shape shape{256, 4096};
  const std::vector<TypeParam> keys =
      made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns);
  const DeviceKeys<TypeParam> on_device(keys);
  const DeviceBuffer<BatchTopkWarmStart> warm(1);
  warm.fill_bytes(0);
  BatchTopkArguments arguments;
  arguments.key_type = KeyTypeOf<TypeParam>::value;
  arguments.rows = shape.rows;
  arguments.columns = shape.columns;
  arguments.count = 5000;
  arguments.keys = on_device.data();
  const Stream stream;
  const BatchTopkResult sampled = run_batch_topk(arguments, stream).result;
  EXPECT_EQ(sampled.path, BatchTopkPath::sampled);
  EXPECT_EQ(sampled.reads, 1U);
  arguments.warm_start = warm.data();
  EXPECT_EQ(run_batch_topk(arguments, stream).result.path, BatchTopkPath::exact);
  const BatchTopkResult warmed = run_batch_topk(arguments, stream).result;
  EXPECT_EQ(warmed.path, BatchTopkPath::warm);
  EXPECT_EQ(warmed.reads, 1U);
  arguments.start = BatchTopkStart::none;
  const BatchTopkResult exact = run_batch_topk(arguments, stream).result;
  EXPECT_EQ(exact.path, BatchTopkPath::exact);
  EXPECT_EQ(exact.reads, 2U);
}

TYPED_TEST(BatchTopkGpu, TakesItsCountFromTheDevice) {
  const Shape shape{40, 1024};
  const std::vector<TypeParam> keys =
      made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns);
  const DeviceKeys<TypeParam> on_device(keys);
  const Stream stream;
  for (const std::int64_t count : {-2, 0, 1, 300, 40 * 1024 + 5})
    for (const BatchTopkStart start : {BatchTopkStart::sample, BatchTopkStart::none}) {
      BatchTopkArguments arguments;
      arguments.key_type = KeyTypeOf<TypeParam>::value;
      arguments.rows = shape.rows;
      arguments.columns = shape.columns;
      arguments.keys = keys.data();
      arguments.count = count;
      arguments.start = start;
      const BatchTopkExpected expected = batch_topk_reference(arguments);
      const DeviceBuffer<std::int64_t> device_count(std::vector<std::int64_t>{count});
      arguments.keys = on_device.data();
      arguments.count = 17;  // of no matter
      arguments.device_count = device_count.data();
      expect_equal(run_batch_topk(arguments, stream), expected,
                   text(arguments, "device count " + std::to_string(count)));
    }
}

TYPED_TEST(BatchTopkGpu, GivesTheSameBitsOnEveryRun) {
  const Shape shape{512, 4096};
  for (const char* name : {"normal", "relu", "two values"}) {
    const auto patterns = key_patterns();
    const auto pattern = std::find_if(patterns.begin(), patterns.end(),
                                      [&](const KeyPattern& p) { return p.name == name; });
    const std::vector<TypeParam> keys = made_keys<TypeParam>(*pattern, shape.rows, shape.columns);
    const DeviceKeys<TypeParam> on_device(keys);
    BatchTopkArguments arguments;
    arguments.key_type = KeyTypeOf<TypeParam>::value;
    arguments.rows = shape.rows;
    arguments.columns = shape.columns;
    arguments.count = 20000;
    arguments.keys = on_device.data();
    const Stream stream;
    const BatchTopkRun run(arguments);
    BatchTopkAnswer first;
    for (int repeat = 0; repeat < 8; ++repeat) {
      arguments.start = repeat % 2 == 0 ? BatchTopkStart::sample : BatchTopkStart::none;
      run.poison(repeat * 31);
      EXPECT_EQ(batch_topk(run.bound(arguments), stream.get()).message(), "");
      stream.synchronize();
      const BatchTopkAnswer answer = run.answer();
      if (repeat == 0) first = answer;
      EXPECT_EQ(answer.mask, first.mask) << name << " run " << repeat;
      EXPECT_EQ(answer.result.ordered_key, first.result.ordered_key) << name;
      EXPECT_EQ(answer.result.last_column, first.result.last_column) << name;
      EXPECT_EQ(answer.result.last_row, first.result.last_row) << name;
    }
  }
}

// Each shard of columns, selecting its part, sets the bits that the whole matrix's selection sets.
TYPED_TEST(BatchTopkGpu, ShardsOfColumnsSelectAsTheWhole) {
  const Shape shape{40, 1000};
  const Stream stream;
  for (const KeyPattern& pattern : key_patterns()) {
    const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
    for (const std::int64_t shards : {1, 2, 4, 8}) {
      BatchTopkArguments whole;
      whole.key_type = KeyTypeOf<TypeParam>::value;
      whole.rows = shape.rows;
      whole.columns = shape.columns;
      whole.count = 900;
      whole.keys = keys.data();
      const ShardedKeys<TypeParam> parts(keys, whole, shards);
      const std::vector<std::int64_t> counts = shard_counts(parts.arguments(), whole.count);
      const BatchTopkExpected expected = batch_topk_reference(whole);
      std::vector<std::vector<std::uint32_t>> masks;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        BatchTopkArguments part = parts.arguments()[i];
        const DeviceKeys<TypeParam> on_device(parts.keys(i));
        part.keys = on_device.data();
        part.count = counts[i];
        masks.push_back(run_batch_topk(part, stream).mask);
      }
      EXPECT_EQ(parts.joined(masks), expected.mask) << pattern.name << ", " << shards << " shards";
    }
  }
}

}  // namespace
}  // namespace stepscope::kernels
