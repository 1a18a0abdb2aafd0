// SPDX-License-Identifier: Apache-2.0
// How the kernel is called: in graphs, on streams side by side, without optional outputs, for
// nothing, and again.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kernels/row_topk/on_device.hpp"

namespace stepscope::kernels {
namespace {

template <class T>
class RowTopkCalls : public RowTopkGpu<T> {};
TYPED_TEST_SUITE(RowTopkCalls, KeyTypes);

// More rows than four blocks a multiprocessor of 132.
const Shape kShape = sized<Shape>({600, 3000}, {540, 720});

template <class T>
std::vector<T> normal_keys() {
  return made_keys<T>(key_patterns().front(), kShape.rows, kShape.columns);
}

TYPED_TEST(RowTopkCalls, ReplaysInAGraph) {
  const std::vector<TypeParam> first = normal_keys<TypeParam>();
  std::vector<TypeParam> second = first;
  std::reverse(second.begin(), second.end());
  const DeviceKeys<TypeParam> on_device(first);
  RowTopkArguments arguments = arguments_for<TypeParam>(kShape, 40);
  arguments.keys = on_device.data();
  const RowTopkRun<TypeParam> run(arguments);
  const Stream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cuda_check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
             "cudaStreamBeginCapture");
  EXPECT_EQ(row_topk(run.bound(arguments), stream.get()).message(), "");
  cuda_check(cudaStreamEndCapture(stream.get(), &graph), "cudaStreamEndCapture");
  cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  for (const std::vector<TypeParam>& keys : {first, second, first}) {
    on_device.put(keys);
    run.poison();
    cuda_check(cudaGraphLaunch(executable, stream.get()), "cudaGraphLaunch");
    stream.synchronize();
    RowTopkArguments on_host = arguments;
    on_host.keys = keys.data();
    run.expect(row_topk_reference(on_host), "graph");
  }
  (void)cudaGraphExecDestroy(executable);
  (void)cudaGraphDestroy(graph);
}

// Each call must also leave the same bits: the runs of each stream are judged by what the last left
// and by counts of all.
TYPED_TEST(RowTopkCalls, RunsOnTwoStreamsAtOnce) {
  const std::vector<TypeParam> keys = normal_keys<TypeParam>();
  RowTopkArguments arguments = arguments_for<TypeParam>(kShape, 40);
  arguments.keys = keys.data();
  const RowTopkExpected expected = row_topk_reference(arguments);
  const DeviceKeys<TypeParam> on_device(keys);
  arguments.keys = on_device.data();
  const Stream streams[2];
  const RowTopkRun<TypeParam> runs[2] = {RowTopkRun<TypeParam>(arguments),
                                         RowTopkRun<TypeParam>(arguments)};
  for (const RowTopkRun<TypeParam>& run : runs) run.poison();
  const std::uint32_t times = sized(20U, 4U);
  for (std::uint32_t repeat = 0; repeat < times; ++repeat)
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(row_topk(runs[i].bound(arguments), streams[i].get()).message(), "");
  for (int i = 0; i < 2; ++i) {
    streams[i].synchronize();
    runs[i].expect(expected, "stream " + std::to_string(i), times);
  }
}

TYPED_TEST(RowTopkCalls, OutputsMayBeLeftOut) {
  const std::vector<TypeParam> keys = normal_keys<TypeParam>();
  RowTopkArguments arguments = arguments_for<TypeParam>(kShape, 7);
  arguments.keys = keys.data();
  const RowTopkExpected expected = row_topk_reference(arguments);
  const DeviceKeys<TypeParam> on_device(keys);
  const DeviceBuffer<std::int32_t> columns(expected.columns.size());
  const Stream stream;
  arguments.keys = on_device.data();
  arguments.columns_out = columns.data();
  EXPECT_EQ(row_topk(arguments, stream.get()).message(), "");
  stream.synchronize();
  EXPECT_EQ(columns.to_host(), expected.columns);
}

TYPED_TEST(RowTopkCalls, SelectsNothingWhereNothingIsAsked) {
  const std::vector<TypeParam> keys = normal_keys<TypeParam>();
  for (const std::int64_t count : {0, -3})
    this->check(keys, 0, arguments_for<TypeParam>(kShape, count), "nothing");
  this->check({}, 0, arguments_for<TypeParam>({0, 40}, 5), "no rows");
  this->check({}, 0, arguments_for<TypeParam>({3, 0}, 5), "no columns");
}

}  // namespace
}  // namespace stepscope::kernels
