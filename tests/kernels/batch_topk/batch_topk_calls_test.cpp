// SPDX-License-Identifier: Apache-2.0
// How the kernels are called: in graphs, on streams side by side, with a count on the device, over
// shards, and again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "kernels/batch_topk/column_statistics.hpp"
#include "kernels/shard_topk/shard_counts.hpp"
#include "tests/kernels/batch_topk/against_reference.hpp"
#include "tests/kernels/shard_topk/sharded_keys.hpp"
#include "tests/kernels/support/device_data.hpp"

namespace stepscope::kernels {
namespace {

template <class T>
class BatchTopkCalls : public BatchTopkGpu<T> {};
TYPED_TEST_SUITE(BatchTopkCalls, KeyTypes);

TYPED_TEST(BatchTopkCalls, ReplaysInAGraph) {
  const Shape shape{64, 1024};
  const std::vector<TypeParam> first =
      made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns);
  std::vector<TypeParam> second = first;
  std::reverse(second.begin(), second.end());
  const DeviceKeys<TypeParam> on_device(first);
  auto arguments = arguments_for<TypeParam>(shape);
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
    on_device.put(keys);
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
TYPED_TEST(BatchTopkCalls, RunsOnTwoStreamsAtOnce) {
  const Shape shape{sized(512, 131), 4096};
  const std::vector<TypeParam> keys =
      made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns);
  auto arguments = arguments_for<TypeParam>(shape);
  arguments.count = 5000;
  arguments.keys = keys.data();
  const BatchTopkExpected expected = batch_topk_reference(arguments);
  const DeviceKeys<TypeParam> on_device(keys);
  arguments.keys = on_device.data();
  const Stream streams[2];
  const BatchTopkRun runs[2] = {BatchTopkRun(arguments), BatchTopkRun(arguments)};
  runs[0].poison(1);
  runs[1].poison(2);
  for (int repeat = 0; repeat < sized(20, 4); ++repeat)
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
TYPED_TEST(BatchTopkCalls, SaysWhichWayItWent) {
  const Shape shape{sized(256, 131), 4096};  // more 32-byte sectors than a sample reads
  const std::vector<TypeParam> keys =
      made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns);
  const DeviceKeys<TypeParam> on_device(keys);
  const DeviceBuffer<BatchTopkWarmStart> warm(1);
  warm.fill_bytes(0);
  auto arguments = arguments_for<TypeParam>(shape);
  arguments.count = 5000;
  arguments.keys = on_device.data();
  const Stream stream;
  const BatchTopkResult sampled = run_batch_topk(arguments, stream).result;
  EXPECT_EQ(sampled.path, BatchTopkPath::sampled);
  EXPECT_EQ(sampled.reads, 1U);
  arguments.warm_start = warm.data();
  const BatchTopkResult misled = run_batch_topk(arguments, stream).result;
  EXPECT_EQ(misled.path, BatchTopkPath::exact);
  EXPECT_EQ(misled.reads, 2U);
  const BatchTopkResult warmed = run_batch_topk(arguments, stream).result;
  EXPECT_EQ(warmed.path, BatchTopkPath::warm);
  EXPECT_EQ(warmed.reads, 1U);
  arguments.start = BatchTopkStart::none;
  const BatchTopkResult exact = run_batch_topk(arguments, stream).result;
  EXPECT_EQ(exact.path, BatchTopkPath::exact);
  EXPECT_EQ(exact.reads, 2U);
}

// Equal keys are more than any bracket of keys has room for.
TYPED_TEST(BatchTopkCalls, GoesOnFromTwoBracketsThatMislead) {
  const DeviceBuffer<BatchTopkWarmStart> warm(1);
  warm.fill_bytes(0);
  const Shape shape{sized(256, 131), 4096};
  std::vector<TypeParam> keys(static_cast<std::size_t>(shape.rows * shape.columns));
  for (std::size_t i = 5; i < keys.size(); i += 1013)
    assign(keys[i], std::numeric_limits<double>::quiet_NaN());
  const DeviceKeys<TypeParam> on_device(keys);
  auto arguments = arguments_for<TypeParam>(shape);
  arguments.count = 70000;
  arguments.warm_start = warm.data();
  arguments.keys = keys.data();
  const BatchTopkExpected expected = batch_topk_reference(arguments);
  arguments.keys = on_device.data();
  const Stream stream;
  const BatchTopkAnswer answer = run_batch_topk(arguments, stream);
  expect_equal(answer, expected, "zeroes");
  EXPECT_EQ(answer.result.path, BatchTopkPath::exact);
  EXPECT_GT(answer.result.reads, 4U);
}

// A sample that shows a third of the greatest keys misleads the narrow bracket, not the wide one;
// one that shows none is not asked again.
TYPED_TEST(BatchTopkCalls, GoesOnFromASampleThatMisleads) {
  const Shape shape{256, 4096};
  const std::int64_t entries = shape.rows * shape.columns;
  const Stream stream;
  for (const auto& [of_four, reads] : {std::pair{3, 2U}, std::pair{4, 3U}}) {
    const DeviceBuffer<TypeParam> on_device(
        made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns));
    auto arguments = arguments_for<TypeParam>(shape);
    arguments.count = entries / 1000;
    hide_from_sample(on_device.data(), arguments.key_type, entries, of_four, stream.get());
    stream.synchronize();
    const std::vector<TypeParam> keys = on_device.to_host();
    arguments.keys = keys.data();
    const BatchTopkExpected expected = batch_topk_reference(arguments);
    arguments.keys = on_device.data();
    const BatchTopkAnswer answer = run_batch_topk(arguments, stream);
    expect_equal(answer, expected, text(arguments, "hidden " + std::to_string(of_four)));
    EXPECT_EQ(answer.result.path, BatchTopkPath::exact);
    EXPECT_EQ(answer.result.reads, reads);
  }
}

// The shared memory of GPUs of compute capability 8.6, 8.9 and 12.0, whose sweep has a smaller
// ring.
TYPED_TEST(BatchTopkCalls, SelectsTheSameWhereABlockHasLittleSharedMemory) {
  const Shape shape{sized(512, 131), 4096};
  const std::vector<TypeParam> keys =
      made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns);
  const DeviceKeys<TypeParam> on_device(keys);
  const std::vector<float> terms(static_cast<std::size_t>(shape.columns), 0.5F);
  const DeviceBuffer<float> mean(terms);
  const DeviceBuffer<float> scale(terms);
  DeviceLimits device;
  cuda_check(DeviceLimits::of_current(&device), "cudaDeviceGetAttribute");
  device.block_shared_bytes = std::size_t{99} * 1024;
  const Stream stream;
  for (const KeySource source : {KeySource::raw, KeySource::affine, KeySource::z_score})
    for (const std::int64_t columns : {shape.columns, shape.columns - 8, shape.columns - 1}) {
      auto arguments = arguments_for<TypeParam>({shape.rows, columns});
      arguments.count = 5000;
      arguments.keys = on_device.data();
      arguments.column_keys.source = source;
      arguments.column_keys.mean = mean.data();
      arguments.column_keys.scale = scale.data();
      const BatchTopkRun run(arguments);
      const BatchTopkAnswer there = run.call(arguments, stream);
      const BatchTopkAnswer here = run.call_on(device, arguments, stream);
      EXPECT_EQ(here.mask, there.mask) << text(arguments, "small ring");
      EXPECT_EQ(here.result.path, there.result.path);
    }
}

TYPED_TEST(BatchTopkCalls, CountsNanWhereNothingIsSelected) {
  const Shape shape{sized(256, 131), 4096};
  std::vector<TypeParam> keys(static_cast<std::size_t>(shape.rows * shape.columns));
  for (TypeParam& key : keys) assign(key, std::numeric_limits<double>::quiet_NaN());
  const DeviceKeys<TypeParam> on_device(keys);
  const DeviceBuffer<std::int64_t> device_count(std::vector<std::int64_t>{0});
  const Stream stream;
  for (const NanPolicy policy : {NanPolicy::select, NanPolicy::reject})
    for (const BatchTopkStart start : {BatchTopkStart::sample, BatchTopkStart::none}) {
      auto arguments = arguments_for<TypeParam>(shape);
      arguments.keys = keys.data();
      arguments.count = 0;
      arguments.nan = policy;
      arguments.start = start;
      const BatchTopkExpected expected = batch_topk_reference(arguments);
      arguments.keys = on_device.data();
      arguments.count = 17;  // ignored
      arguments.device_count = device_count.data();
      expect_equal(run_batch_topk(arguments, stream), expected, text(arguments, "all NaN"));
    }
}

TYPED_TEST(BatchTopkCalls, TakesItsCountFromTheDevice) {
  const Shape shape{40, 1024};
  const std::vector<TypeParam> keys =
      made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns);
  const DeviceKeys<TypeParam> on_device(keys);
  const Stream stream;
  Turns starts(this->kFirstTurn);
  for (const std::int64_t count : {-2, 0, 1, 300, 40 * 1024 + 5})
    for (const BatchTopkStart start :
         starts.one_of<BatchTopkStart>({BatchTopkStart::sample, BatchTopkStart::none})) {
      auto arguments = arguments_for<TypeParam>(shape);
      arguments.keys = keys.data();
      arguments.count = count;
      arguments.start = start;
      const BatchTopkExpected expected = batch_topk_reference(arguments);
      const DeviceBuffer<std::int64_t> device_count(std::vector<std::int64_t>{count});
      arguments.keys = on_device.data();
      arguments.count = 17;  // ignored
      arguments.device_count = device_count.data();
      expect_equal(run_batch_topk(arguments, stream), expected,
                   text(arguments, "device count " + std::to_string(count)));
    }
}

TYPED_TEST(BatchTopkCalls, GivesTheSameBitsOnEveryRun) {
  const Shape shape{sized(512, 131), 4096};
  for (const char* name : {"normal", "relu", "two values"}) {
    const auto patterns = key_patterns();
    const auto pattern = std::find_if(patterns.begin(), patterns.end(),
                                      [&](const KeyPattern& p) { return p.name == name; });
    const std::vector<TypeParam> keys = made_keys<TypeParam>(*pattern, shape.rows, shape.columns);
    const DeviceKeys<TypeParam> on_device(keys);
    auto arguments = arguments_for<TypeParam>(shape);
    arguments.count = sized(20000, 5000);
    arguments.keys = on_device.data();
    const Stream stream;
    const BatchTopkRun run(arguments);
    BatchTopkAnswer first;
    for (int repeat = 0; repeat < sized(8, 4); ++repeat) {
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

TYPED_TEST(BatchTopkCalls, ColumnStatisticsAloneAreThoseOfTheCall) {
  const Stream stream;
  for (const Shape& shape : {Shape{40, 1000}, Shape{1100, 37}}) {
    const DeviceKeys<TypeParam> keys(
        made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns));
    const auto columns = static_cast<std::size_t>(shape.columns);
    const DeviceBuffer<float> mean(columns), scale(columns), mean_alone(columns),
        scale_alone(columns);
    BatchTopkArguments arguments;
    arguments.keys = keys.data();
    arguments.key_type = KeyTypeOf<TypeParam>::value;
    arguments.rows = shape.rows;
    arguments.columns = shape.columns;
    arguments.count = 50;
    arguments.column_keys = {KeySource::z_score, 1e-6F, mean.data(), scale.data()};
    (void)run_batch_topk(arguments, stream);

    arguments.column_keys.mean = mean_alone.data();
    arguments.column_keys.scale = scale_alone.data();
    arguments.workspace_bytes = batch_topk_workspace_bytes(arguments);
    const DeviceBuffer<std::byte> workspace(arguments.workspace_bytes);
    arguments.workspace = workspace.data();
    EXPECT_EQ(column_statistics(arguments, stream.get()).message(), "");
    cuda_check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    EXPECT_EQ(mean_alone.to_host(), mean.to_host());
    EXPECT_EQ(scale_alone.to_host(), scale.to_host());
  }
}

// However many equal keys crowd in few bins, where there is room for all of them.
TYPED_TEST(BatchTopkCalls, AFewEqualKeysTakeOneRead) {
  const Shape shape{30, 1024};
  const auto keys = made_keys<TypeParam>({"equal", [](auto, auto, std::mt19937&) { return 1.5; }},
                                         shape.rows, shape.columns);
  const DeviceKeys<TypeParam> on_device(keys);
  auto arguments = arguments_for<TypeParam>(shape);
  arguments.keys = on_device.data();
  arguments.count = 1000;
  const Stream stream;
  const BatchTopkAnswer answer = run_batch_topk(arguments, stream);
  EXPECT_EQ(answer.result.path, BatchTopkPath::sampled);
  EXPECT_EQ(answer.result.reads, 1U);
  EXPECT_EQ(answer.result.selected, 1000);
}

// A wide matrix's parts of rows are summed by one block a column, a narrow one's by several.
TYPED_TEST(BatchTopkCalls, ColumnStatisticsAreTheSameInAnyMatrix) {
  constexpr std::int64_t kRows = 1030;
  constexpr std::int64_t kNarrow = 37, kWide = kNarrow * 1024;
  const Stream stream;
  const auto few = made_keys<TypeParam>(key_patterns().front(), kRows, kNarrow);
  std::vector<TypeParam> many;
  many.reserve(static_cast<std::size_t>(kRows * kWide));
  for (auto row = few.begin(); row != few.end(); row += kNarrow)
    for (std::int64_t copy = 0; copy < kWide / kNarrow; ++copy)
      many.insert(many.end(), row, row + kNarrow);
  const auto statistics = [&](const std::vector<TypeParam>& keys, std::int64_t columns) {
    const DeviceKeys<TypeParam> on_device(keys);
    const DeviceBuffer<float> mean(static_cast<std::size_t>(columns)),
        scale(static_cast<std::size_t>(columns));
    BatchTopkArguments arguments;
    arguments.keys = on_device.data();
    arguments.key_type = KeyTypeOf<TypeParam>::value;
    arguments.rows = kRows;
    arguments.columns = columns;
    arguments.column_keys = {KeySource::z_score, 1e-6F, mean.data(), scale.data()};
    arguments.workspace_bytes = batch_topk_workspace_bytes(arguments);
    const DeviceBuffer<std::byte> workspace(arguments.workspace_bytes);
    arguments.workspace = workspace.data();
    EXPECT_EQ(column_statistics(arguments, stream.get()).message(), "");
    cuda_check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    return std::pair{mean.to_host(), scale.to_host()};
  };
  const auto narrow = statistics(few, kNarrow);
  const auto wide = statistics(many, kWide);
  for (std::size_t column = 0; column < kWide; ++column) {
    ASSERT_EQ(wide.first[column], narrow.first[column % kNarrow]) << column;
    ASSERT_EQ(wide.second[column], narrow.second[column % kNarrow]) << column;
  }
}

// Each shard of columns, selecting its part, sets the bits that the whole matrix's selection sets.
TYPED_TEST(BatchTopkCalls, ShardsOfColumnsSelectAsTheWhole) {
  const Shape shape{40, 1000};
  const Stream stream;
  Turns patterns(this->kFirstTurn);
  Turns numbers(this->kFirstTurn);
  for (const KeyPattern& pattern : patterns.of(key_patterns(), 4)) {
    const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
    BatchTopkArguments whole;
    whole.key_type = KeyTypeOf<TypeParam>::value;
    whole.rows = shape.rows;
    whole.columns = shape.columns;
    whole.count = 900;
    whole.keys = keys.data();
    const BatchTopkExpected expected = batch_topk_reference(whole);
    for (const std::int64_t shards : numbers.one_of<std::int64_t>({1, 2, 4, 8})) {
      const ShardedKeys<TypeParam> parts(keys, whole, shards);
      const std::vector<std::int64_t> counts = shard_counts(parts.arguments(), whole.count);
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
