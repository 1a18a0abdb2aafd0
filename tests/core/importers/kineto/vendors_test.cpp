// SPDX-License-Identifier: Apache-2.0
// Traces as profilers of other times and vendors write them: categories of PyTorch 1.8, whole
// microseconds, AMD's calls and copies.
#include <gmock/gmock.h>

#include "core/steps/steps.hpp"
#include "tests/core/importers/kineto/kineto_maker.hpp"

namespace stepscope {
namespace {

using ::testing::ElementsAre;

TEST(KinetoVendors, CallsAndDeviceWorkOfAmdAreLinked) {
  TraceData data = read_events(R"(
    {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 1, "ts": 10, "dur": 5,
     "args": {"External id": 3, "cid": 211, "correlation": 7, "kernel": "k", "grid": [1, 1, 1]}},
    {"ph": "X", "cat": "hip_runtime", "name": "hipExtModuleLaunchKernel", "pid": 1, "tid": 1, "ts": 16, "dur": 2,
     "args": {"correlation": 8}},
    {"ph": "X", "cat": "hip_runtime", "name": "hipMemcpyWithStream", "pid": 1, "tid": 1, "ts": 20, "dur": 60,
     "args": {"correlation": 9}},
    {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 0, "ts": 30, "dur": 10,
     "args": {"device": 2, "stream": 0, "correlation": 7, "kind": "Dispatch Kernel"}},
    {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 0, "ts": 40, "dur": 10,
     "args": {"device": 2, "stream": 0, "correlation": 8}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "CopyDeviceToHost", "pid": 0, "tid": 0, "ts": 60, "dur": 15,
     "args": {"device": 2, "stream": 0, "correlation": 9, "bytes": 64}})");
  const Trace trace = Trace::build(std::move(data));
  EXPECT_THAT(trace.calls().api, ElementsAre(ApiKind::launch_kernel, ApiKind::launch_kernel,
                                             ApiKind::memcpy_blocking));
  ASSERT_EQ(trace.device_ops().size(), 3U);
  for (DeviceOpId op = 0; op < 3; ++op) EXPECT_EQ(trace.launch_of(op), op);
  EXPECT_EQ(trace.device_ops().copy_kind[2], CopyKind::device_to_host);
}

// The device works on behind the host's last record: it is in the one window.
TEST(KinetoVendors, DeviceWorkBehindTheHostsIsInTheWindow) {
  std::string events =
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 86})";
  for (int i = 0; i < 14; ++i)
    events += R"(, {"ph": "X", "cat": "kernel", "name": "k)" + std::to_string(i * i) +
              R"(", "pid": 0, "tid": 0, "ts": )" + std::to_string(900 + 20 * i) +
              R"(, "dur": 15, "args": {"device": 2, "stream": 0, "correlation": )" +
              std::to_string(i + 1) + "}}";
  const Trace trace = Trace::build(read_events(events));
  const Result<Steps> steps = find_steps(trace);
  ASSERT_TRUE(steps.ok());
  EXPECT_GE(steps->list.back().window.end, trace.device_ops().end.back());
}

TEST(KinetoVendors, CategoriesOfOldProfilersAreKnown) {
  const TraceData data = read_events(R"(
    {"ph": "X", "cat": "Operator", "name": "aten::mm", "pid": 1, "tid": "1", "ts": 10, "dur": 20,
     "args": {"External id": 3, "Trace name": "PyTorch Profiler", "Sequence number": 5, "Fwd thread id": 0}},
    {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": "1", "ts": 12, "dur": 6,
     "args": {"cbid": 211, "correlation": 7, "external id": 3, "external ts": 10}},
    {"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": "stream 7", "ts": 20, "dur": 9,
     "args": {"queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": 7, "external id": 3}},
    {"ph": "X", "cat": "Memset", "name": "Memset", "pid": 0, "tid": "stream 7", "ts": 30, "dur": 2,
     "args": {"device": 0, "context": 1, "stream": 7, "correlation": 8, "bytes": 4}})");
  EXPECT_THAT(data.host_ranges.kind, ElementsAre(HostKind::op, HostKind::runtime_call));
  EXPECT_EQ(data.device_ops.size(), 2U);
  EXPECT_EQ(data.health.skipped_events, 0U);
}

}  // namespace
}  // namespace stepscope
