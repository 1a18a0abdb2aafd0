// SPDX-License-Identifier: Apache-2.0
// Traces as profilers of other times and vendors write them: categories of PyTorch 1.8, whole
// microseconds, AMD's calls and copies.
#include <gmock/gmock.h>

#include "core/steps/steps.hpp"
#include "tests/core/importers/kineto/kineto_maker.hpp"

namespace stepscope {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

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

TEST(KinetoVendors, CopiesOfIntelSayTheirDirection) {
  TraceData data = read_events(R"json(
    {"ph": "X", "cat": "xpu_runtime", "name": "urEnqueueUSMMemcpy", "pid": 1, "tid": 1, "ts": 10, "dur": 5,
     "args": {"correlation": 7}},
    {"ph": "X", "cat": "xpu_runtime", "name": "urEnqueueKernelLaunchWithArgsExp", "pid": 1, "tid": 1, "ts": 16, "dur": 2,
     "args": {"correlation": 8}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy M2D (MEMORY -> DEVICE)", "pid": 0, "tid": 7, "ts": 30, "dur": 10,
     "args": {
  "device" : 0, "context" : "0x000055d1c0ffee00", "sycl queue" : 9, "correlation" : 7, "bytes" : 4}},
    {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 40, "dur": 10,
     "args": {"device": 0, "context": "0x000055d1c0ffee00", "sycl queue": 9, "correlation": 8}})json");
  EXPECT_EQ(data.device_ops.copy_kind.at(0), CopyKind::host_to_device);
  EXPECT_EQ(data.device_ops.source_memory.at(0), MemoryKind::pageable);
  EXPECT_EQ(data.streams.at(0).stream, 9U);
  EXPECT_EQ(data.streams.size(), 1U);
  EXPECT_EQ(data.health.missing_fields, 0U);
  const Trace trace = Trace::build(std::move(data));
  EXPECT_THAT(trace.calls().api, ElementsAre(ApiKind::memcpy_async, ApiKind::launch_kernel));
  EXPECT_EQ(trace.launch_of(0), 0U);
}

// ROCm's profiler writes the streams of HIP as they are: numbers of 64 bits.
TEST(KinetoVendors, StreamsThatAreAddressesAreStreamsOfTheirOwn) {
  const TraceData data = read_events(R"(
    {"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 1, "ts": 30, "dur": 10, "args": {"device": 0, "stream": 140245000000000}},
    {"ph": "X", "cat": "kernel", "name": "b", "pid": 0, "tid": 2, "ts": 34, "dur": 3, "args": {"device": 0, "stream": 140245000004096}},
    {"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": 1, "ts": 40, "dur": 10, "args": {"device": 0, "stream": 140245000000000}},
    {"ph": "X", "cat": "kernel", "name": "c", "pid": 0, "tid": 3, "ts": 44, "dur": 3, "args": {"device": 0, "stream": "0x7f8d00001000"}})");
  EXPECT_EQ(data.streams.size(), 3U);
  EXPECT_EQ(data.device_ops.stream.at(0), data.device_ops.stream.at(2));
  EXPECT_EQ(data.health.missing_fields, 4U) << "of correlations alone";
}

TEST(KinetoVendors, CategoriesThatEndAsCudasDoAreRead) {
  const TraceData data = read_events(R"(
    {"ph": "X", "cat": "musa_runtime", "name": "musaLaunchKernel", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "args": {"correlation": 7}},
    {"ph": "X", "cat": "npu_memcpy", "name": "DMA_H2D", "pid": 0, "tid": 7, "ts": 30, "dur": 10,
     "args": {"device": 0, "stream": 7, "correlation": 8, "bytes": 4}},
    {"ph": "X", "cat": "hpu_op", "name": "gemm", "pid": 0, "tid": 7, "ts": 40, "dur": 10, "args": {"device": 0, "stream": 7}},
    {"ph": "X", "cat": "hpu_op", "name": "hpu::cast", "pid": 1, "tid": 1, "ts": 20, "dur": 10})");
  EXPECT_EQ(data.calls.api.at(0), ApiKind::launch_kernel);
  EXPECT_THAT(data.device_ops.kind, ElementsAre(DeviceOpKind::memcpy, DeviceOpKind::kernel));
  EXPECT_EQ(data.device_ops.copy_kind.at(0), CopyKind::host_to_device);
  EXPECT_THAT(data.host_ranges.kind, ElementsAre(HostKind::runtime_call, HostKind::op));
  EXPECT_EQ(data.health.skipped_events, 0U);
}

TEST(KinetoVendors, AWaitOfMtiasQueueIsNoWork) {
  const TraceData data = read_events(R"(
    {"ph": "X", "cat": "mtia_ccp_events", "name": "event_wait", "pid": 17, "tid": 3, "ts": 10, "dur": 90, "args": {"stream": 108, "wait_on_stream": 104}},
    {"ph": "X", "cat": "mtia_ccp_events", "name": "merge", "pid": 17, "tid": 3, "ts": 100, "dur": 5, "args": {"stream": 108}},
    {"ph": "X", "cat": "mtia_ccp_events", "name": "event_record", "pid": 17, "tid": 3, "ts": 105, "dur": 1, "args": {"stream": 108}})");
  ASSERT_EQ(data.device_ops.size(), 1U);
  EXPECT_EQ(data.strings.view(data.device_ops.name[0]), "merge");
  EXPECT_EQ(data.health.skipped_events, 0U);
}

// Its runtime and its device have no categories, and processes of the profiler's making.
constexpr const char* kAscend = R"([
    {"ph": "M", "name": "process_name", "pid": 9000, "tid": 0, "args": {"name": "Ascend Hardware"}},
    {"ph": "X", "name": "ProfilerStep#3", "cat": "cpu_op", "pid": 41, "tid": 41, "ts": "5.000", "dur": 80},
    {"ph": "X", "name": "aten::mm", "cat": "cpu_op", "pid": 41, "tid": 41, "ts": "10.000", "dur": 40, "args": {}},
    {"ph": "X", "name": "AscendCL@aclnnMatmul", "pid": 8000, "tid": 41, "ts": "12.000", "dur": 8.0,
     "args": {"Mode": "ACL_OP", "level": "acl", "connection_id": 101}},
    {"ph": "X", "name": "MatMulV2", "pid": 9000, "tid": 7, "ts": "20.000", "dur": 30.0,
     "args": {"Task Type": "AI_CORE", "Stream Id": 7, "connection_id": 101}},
    {"ph": "X", "name": "EVENT_WAIT", "pid": 9000, "tid": 7, "ts": "50.000", "dur": 30.0,
     "args": {"Task Type": "EVENT_WAIT", "Stream Id": 7, "connection_id": 102}}])";

TEST(KinetoVendors, WorkOfAscendsDeviceIsOfTheThreadThatCalledForIt) {
  const Trace trace = Trace::build(read_good(kAscend));
  ASSERT_EQ(trace.device_ops().size(), 1U) << "a wait is no work";
  ASSERT_NE(trace.launch_of(0), kNone);
  EXPECT_EQ(trace.calls().api.at(0), ApiKind::launch_kernel);
  const HostRanges& h = trace.host_ranges();
  EXPECT_THAT(h.kind, ElementsAre(HostKind::user_scope, HostKind::op, HostKind::runtime_call));
  EXPECT_EQ(h.thread[0], h.thread[2]);
  EXPECT_EQ(trace.data().streams.at(0).process, trace.data().threads.at(h.thread[0]).process);
  EXPECT_EQ(trace.data().devices.at(0).index, 0U);
}

// With its queue of tasks another thread calls the runtime, whose numbers are not those of the work.
TEST(KinetoVendors, ArrowsTieWorkOfAscendsDeviceToItsOperation) {
  const Trace trace = Trace::build(read_good(R"([
    {"ph": "M", "name": "process_name", "pid": 9000, "tid": 0, "args": {"name": "Ascend Hardware"}},
    {"ph": "X", "name": "aten::mm", "cat": "cpu_op", "pid": 41, "tid": 41, "ts": "10.000", "dur": 4, "args": {}},
    {"ph": "X", "name": "AscendCL@aclnnMm", "pid": 8000, "tid": 41, "ts": "15.000", "dur": 2.0, "args": {"connection_id": 4}},
    {"ph": "X", "name": "AscendCL@aclnnMatmul", "pid": 8000, "tid": 42, "ts": "16.000", "dur": 8.0, "args": {"connection_id": 9}},
    {"ph": "s", "name": "torch_to_npu", "cat": "async_npu", "id": 20000, "pid": 41, "tid": 41, "ts": "10.000"},
    {"ph": "f", "name": "torch_to_npu", "cat": "async_npu", "id": 20000, "pid": 9000, "tid": 7, "ts": "20.000", "bp": "e"},
    {"ph": "X", "name": "MatMulV2", "pid": 9000, "tid": 7, "ts": "20.000", "dur": 30.0,
     "args": {"Task Type": "AI_CORE", "Stream Id": 7, "connection_id": 8}}])"));
  ASSERT_EQ(trace.device_ops().size(), 1U);
  ASSERT_NE(trace.launch_of(0), kNone);
  const RangeId launch = trace.calls().range[trace.launch_of(0)];
  EXPECT_EQ(trace.host_ranges().begin[launch] - trace.host_ranges().begin[0], 0);
  EXPECT_THAT(trace.calls().api,
              UnorderedElementsAre(ApiKind::launch_kernel, ApiKind::other, ApiKind::other));
  EXPECT_EQ(trace.data().processes.size(), 1U);
  EXPECT_EQ(trace.data().streams.at(0).process, 0U);
  EXPECT_THAT(trace.data().health.notes, ::testing::IsEmpty());
}

// The profiler's own sums of the device's work stand beside it, under the same label.
TEST(KinetoVendors, WhatAscendsProfilerDerivesIsNoWork) {
  std::string events(kAscend);
  events.pop_back();
  events +=
      R"(, {"ph": "M", "name": "process_name", "pid": 9500, "tid": 0, "args": {"name": "Overlap Analysis"}},
    {"ph": "M", "name": "process_labels", "pid": 9500, "tid": 0, "args": {"labels": "NPU"}})";
  for (const char* what : {"Computing", "Free", "Communication(Not Overlapped)"})
    events += std::string(R"(, {"ph": "X", "name": ")") + what +
              R"(", "pid": 9500, "tid": 1, "ts": "20.000", "dur": 30.0})";
  EXPECT_EQ(read_good(events + "]").device_ops.size(), 1U);
}

TEST(KinetoVendors, ADeviceWhoseWorkCannotBeReadIsRefusedByName) {
  const std::string message = read_error(document(R"(
    {"ph": "M", "name": "process_name", "pid": 5, "tid": 0, "args": {"name": "Habana Labs"}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 20},
    {"ph": "X", "cat": "tpc", "name": "add_fwd", "pid": 5, "tid": 7, "ts": 30, "dur": 10})"));
  EXPECT_THAT(message, HasSubstr("1 events of the device 'Habana Labs' (Intel Gaudi, an HPU)"));
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
     "args": {"device": 0, "context": 1, "stream": 7, "correlation": 8, "bytes": 4}},
    {"ph": "X", "cat": "Operator", "name": "ProfilerStep#4", "pid": 1, "tid": "1", "ts": 5, "dur": 60})");
  EXPECT_THAT(data.host_ranges.kind,
              ElementsAre(HostKind::op, HostKind::runtime_call, HostKind::user_scope));
  EXPECT_EQ(data.device_ops.size(), 2U);
  EXPECT_EQ(data.health.skipped_events, 0U);
}

TEST(KinetoVendors, AListWithoutADocumentIsRead) {
  const TraceData data = read_good(
      R"([{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 20}])");
  EXPECT_EQ(data.host_ranges.size(), 1U);
  EXPECT_EQ(data.host_ranges.end.at(0), 30'000);
}

TEST(KinetoVendors, AnEventListHasNoCategoriesAndNamesItsProcesses) {
  const TraceData data = read_good(R"([
    {"name": "ProfilerStep#1", "ph": "X", "ts": 10, "dur": 50, "tid": 1, "pid": "CPU functions", "args": {}},
    {"name": "aten::mm", "ph": "X", "ts": 12, "dur": 20, "tid": 1, "pid": "CPU functions", "args": {}},
    {"name": "gemm", "ph": "X", "ts": 15, "dur": 20, "tid": "7", "pid": "CUDA functions", "args": {}},
    {"name": "aten::mm", "ph": "s", "ts": 12, "tid": 1, "pid": "CPU functions", "id": 1, "cat": "cpu_to_cuda", "args": {}}])");
  EXPECT_THAT(data.host_ranges.kind, ElementsAre(HostKind::user_scope, HostKind::op));
  EXPECT_EQ(data.device_ops.size(), 1U);
  EXPECT_EQ(data.health.skipped_events, 0U);
}

TEST(KinetoVendors, BeginsAndEndsAreOneEvent) {
  const TraceData data = read_events(R"(
    {"ph": "B", "cat": "cpu_op", "name": "aten::linear", "pid": 1, "tid": 1, "ts": 10},
    {"ph": "B", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 12.5},
    {"ph": "B", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 2, "ts": 13},
    {"ph": "B", "cat": "no such", "name": "x", "pid": 1, "tid": 1, "ts": 14},
    {"ph": "E", "pid": 1, "tid": 1, "ts": 15},
    {"ph": "E", "pid": 1, "tid": 1, "ts": 22.25},
    {"ph": "B", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 30, "args": {"device": 0, "stream": 7, "correlation": 3}},
    {"ph": "E", "pid": 0, "tid": 7, "ts": 35},
    {"ph": "E", "pid": 1, "tid": 1, "ts": 40},
    {"ph": "E", "cat": "stray", "pid": 1, "tid": 1, "ts": 41})");
  EXPECT_THAT(data.host_ranges.begin, ElementsAre(10'000, 12'500, 13'000));
  EXPECT_THAT(data.host_ranges.end, ElementsAre(40'000, 22'250, 13'000));
  EXPECT_THAT(data.device_ops.end, ElementsAre(35'000));
  EXPECT_EQ(data.health.missing_fields, 0U);
  EXPECT_EQ(data.health.skipped_events, 2U) << "of no known category, and an end without a begin";
  EXPECT_THAT(data.health.notes, Contains(HasSubstr("1 event begins and never ends")));
}

// Writers may sort by name, or write the last first.
TEST(KinetoVendors, BeginsAndEndsMayStandInAnyOrder) {
  const TraceData data = read_events(R"(
    {"ph": "E", "name": "k", "pid": 0, "tid": 7, "ts": 50},
    {"ph": "B", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 35, "args": {"device": 0, "stream": 7, "correlation": 4}},
    {"ph": "E", "name": "k", "pid": 0, "tid": 7, "ts": 35},
    {"ph": "B", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 30, "args": {"device": 0, "stream": 7, "correlation": 3}},
    {"ph": "E", "name": "m", "pid": 0, "tid": 7, "ts": 20},
    {"ph": "B", "cat": "kernel", "name": "m", "pid": 0, "tid": 7, "ts": 20, "args": {"device": 0, "stream": 7, "correlation": 2}})");
  EXPECT_THAT(data.device_ops.end, ElementsAre(50'000, 35'000, 20'000));
  EXPECT_EQ(data.health.notes.size(), 0U);
}

std::string why_nothing(std::string_view content) {
  const Status holds = check_holds_events(read_good(content));
  EXPECT_FALSE(holds.ok()) << content;
  return holds.ok() ? "" : holds.error().message;
}

TEST(KinetoVendors, ATraceOfAnotherToolSaysSo) {
  EXPECT_THAT(
      why_nothing(document(
          R"({"ph": "X", "cat": "toplevel", "name": "RunTask", "pid": 1, "tid": 1, "ts": 10, "dur": 2})")),
      HasSubstr("no event of PyTorch's profiler is in it (events left out, by category: "
                "\"toplevel\" (1)): a trace of another tool?"));
  EXPECT_THAT(why_nothing(document(
                  R"({"ph": "X", "name": "fusion.3", "pid": 1, "tid": 1, "ts": 10, "dur": 2})")),
              HasSubstr("\"no category, ph X\" (1)"));
  EXPECT_THAT(why_nothing(document("")), HasSubstr("no event of the program is in it"));
  EXPECT_THAT(
      why_nothing(document(
          R"({"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": 10, "args": {"Total Allocated": 5}})")),
      HasSubstr("it holds 1 counters and 0 instants"));
  EXPECT_THAT(why_nothing("[]"), HasSubstr("no event of the program is in it"));
  EXPECT_THAT(
      why_nothing(document(
          R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1790857026000000000, "dur": 2})")),
      HasSubstr("1 event left out for want of a time that can be"));
}

TEST(KinetoVendors, AKnownToolIsNamed) {
  const auto event = [](std::string_view category, std::string_view process) {
    return document(
        R"({"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": ")" +
        std::string(process) + R"("}}, {"ph": "X", "cat": ")" + std::string(category) +
        R"(", "name": "n", "pid": 1, "tid": 1, "ts": 10, "dur": 2})");
  };
  EXPECT_THAT(read_error(event("FEE", "python")), HasSubstr("a trace of VizTracer, which"));
  EXPECT_THAT(read_error(event("blink,devtools.timeline", "x")), HasSubstr("a trace of a browser"));
  EXPECT_THAT(read_error(event("gpu", "GPU Process")), HasSubstr("a trace of a browser"));
  EXPECT_THAT(read_error(event("", "CPU HSA API")), HasSubstr("a trace of rocprof, which"));
  EXPECT_THAT(read_error(event("", "/device:GPU:0")), HasSubstr("profiler of JAX or TensorFlow"));
}

TEST(KinetoVendors, OfATraceThatHoldsEventsOfPyTorchTheseAreRead) {
  const TraceData data = read_events(
      R"({"ph": "X", "cat": "FEE", "name": "f", "pid": 1, "tid": 1, "ts": 10, "dur": 9},
         {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 11, "dur": 2})");
  EXPECT_EQ(data.host_ranges.size(), 1U);
}

TEST(KinetoVendors, AListMayLackItsEnd) {
  const std::string event =
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 11, "dur": 2})";
  for (const char* end : {"", ",", " ,\n "}) {
    const TraceData data = read_good("[" + event + ",\n" + event + end);
    EXPECT_EQ(data.host_ranges.size(), 2U) << end;
    EXPECT_THAT(data.health.notes,
                Contains(HasSubstr("the list of events in this file has no end")));
  }
}

TEST(KinetoVendors, EventsThatAreNullAreNone) {
  EXPECT_EQ(
      read_events(R"(null, {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1,
                           "ts": 11, "dur": 2}, null)")
          .host_ranges.size(),
      1U);
}

TEST(KinetoVendors, EventsThatStandInTheFileTwiceAreSaid) {
  std::string once;
  for (int i = 0; i < 100; ++i)
    once +=
        std::string(i == 0 ? "" : ", ") +
        R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "dur": 1, "ts": )" +
        std::to_string(10 * i) + R"(, "args": {"Ev Idx": )" + std::to_string(i) + "}}";
  EXPECT_THAT(read_events(once).health.notes, testing::IsEmpty());
  EXPECT_THAT(read_events(once + ", " + once).health.notes,
              Contains(HasSubstr("100 of the events that the profiler numbered have a number")));
}

}  // namespace
}  // namespace stepscope
