// SPDX-License-Identifier: Apache-2.0
// One small trace for each category that Kineto writes: what becomes of it in the model.
#include <gmock/gmock.h>

#include "tests/core/importers/kineto/kineto_maker.hpp"

namespace stepscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(KinetoCategories, CpuOpIsAnOp) {
  const TraceData data =
      read_events(R"({"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 619, "tid": 659,
    "ts": 4377651843188.448, "dur": 105.756, "args": {"External id": 513, "Ev Idx": 0,
    "Input Dims": [[4096, 1024], [], [[1]]], "Input type": ["float", "a]b\"}"]}})");
  ASSERT_EQ(data.host_ranges.size(), 1U);
  const HostRanges& h = data.host_ranges;
  EXPECT_EQ(h.begin[0], 4377651843188448);
  EXPECT_EQ(h.end[0], 4377651843188448 + 105756);
  EXPECT_EQ(data.strings.view(h.name[0]), "aten::add");
  EXPECT_EQ(h.kind[0], HostKind::op);
  EXPECT_EQ(h.sequence[0], kNoSequence);
  EXPECT_EQ(h.forward_thread[0], kNone);
  EXPECT_EQ(h.site[0], kNone);
  ASSERT_EQ(data.threads.size(), 1U);
  EXPECT_EQ(data.threads[0].tid, 659);
  ASSERT_EQ(data.processes.size(), 1U);
  EXPECT_EQ(data.processes[0].pid, 619);
  EXPECT_TRUE(data.collected.framework_ops);
  EXPECT_FALSE(data.collected.device_ops);
  EXPECT_EQ(data.source, SourceKind::kineto);
  EXPECT_EQ(data.health.missing_fields, 0U);
}

TEST(KinetoCategories, AutogradNodesAreBackwardNodes) {
  const TraceData data = read_events(R"(
    {"ph": "X", "cat": "cpu_op", "name": "autograd::engine::evaluate_function: AddBackward0", "pid": 1, "tid": 2,
     "ts": 1, "dur": 9, "args": {"Sequence number": 8731, "Fwd thread id": 1}},
    {"ph": "X", "cat": "cpu_op", "name": "AddBackward0", "pid": 1, "tid": 2, "ts": 2, "dur": 5,
     "args": {"Fwd thread id": 1, "Sequence number": 8731}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 3, "dur": 1,
     "args": {"Sequence number": 8731, "Fwd thread id": 0}})");
  const HostRanges& h = data.host_ranges;
  EXPECT_THAT(h.kind, ElementsAre(HostKind::backward_node, HostKind::backward_node, HostKind::op));
  EXPECT_THAT(h.sequence, ElementsAre(8731U, 8731U, 8731U));
  EXPECT_THAT(h.forward_thread, ElementsAre(1U, 1U, kNone));
}

TEST(KinetoCategories, UserAnnotationIsAUserScopeAndItsDeviceShadowNothing) {
  const TraceData data = read_events(R"(
    {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 1, "tid": 1, "ts": 1, "dur": 9},
    {"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#3", "pid": 0, "tid": 7, "ts": 1, "dur": 9})");
  EXPECT_THAT(data.host_ranges.kind, ElementsAre(HostKind::user_scope));
  EXPECT_EQ(data.device_ops.size(), 0U);
  EXPECT_TRUE(data.streams.empty());
  EXPECT_TRUE(data.collected.user_scopes);
  EXPECT_EQ(data.health.skipped_events, 0U);
}

constexpr const char* kKernel =
    R"json({"ph": "X", "cat": "kernel", "name": "void k<4>(int)", "pid": 0, "tid": 7,
  "ts": 30.001, "dur": 3.648, "args": {"queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": 3873,
  "registers per thread": 32, "shared memory": 49152, "blocks per SM": 5.818182, "warps per SM": inf,
  "grid": [768, 2, 1], "block": [128, 1, 1], "est. achieved occupancy %": 36, "graph id": 3, "graph node id": 77}})json";

TEST(KinetoCategories, KernelKeepsItsLaunch) {
  const TraceData data = read_events(kKernel);
  const DeviceOps& d = data.device_ops;
  ASSERT_EQ(d.size(), 1U);
  EXPECT_EQ(d.begin[0], 30001);
  EXPECT_EQ(d.end[0], 33649);
  EXPECT_EQ(d.kind[0], DeviceOpKind::kernel);
  EXPECT_EQ(d.correlation[0], 3873U);
  EXPECT_EQ(d.graph[0], 3U);
  EXPECT_EQ(d.graph_node[0], 77U);
  EXPECT_EQ(d.bytes[0], kUnknownBytes);
  EXPECT_EQ(d.copy_kind[0], CopyKind::none);
  const LaunchConfig expected{{768, 2, 1}, {128, 1, 1}, 32, 49152};
  ASSERT_LT(d.launch_config[0], data.launch_configs.size());
  EXPECT_EQ(data.launch_configs[d.launch_config[0]], expected);
  ASSERT_LT(d.stream[0], data.streams.size());
  const Stream& stream = data.streams[d.stream[0]];
  EXPECT_EQ(std::tuple(stream.device, stream.context, stream.stream), std::tuple(0U, 1U, 7U));
  EXPECT_EQ(data.health.missing_fields, 0U);
}

TEST(KinetoCategories, EqualLaunchesShareOneConfig) {
  const TraceData data = read_events(std::string(kKernel) + "," + kKernel);
  EXPECT_EQ(data.launch_configs.size(), 1U);
  EXPECT_EQ(data.streams.size(), 1U);
  EXPECT_EQ(data.device_ops.size(), 2U);
}

std::string copy(std::string_view category, std::string_view name) {
  return R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "name": ")" + std::string(name) +
         R"json(", "pid": 0, "tid": 7, "ts": 5, "dur": 1, "args": {"device": 0, "context": 1, "stream": 7,
           "correlation": 9, "bytes": 18874368, "memory bandwidth (GB/s)": "N/A"}})json";
}

TEST(KinetoCategories, CopiesTellDirectionAndMemory) {
  struct Row {
    const char* name;
    CopyKind kind;
    MemoryKind source, target;
  };
  const Row rows[] = {
      {"Memcpy HtoD (Pageable -> Device)", CopyKind::host_to_device, MemoryKind::pageable,
       MemoryKind::device},
      {"Memcpy HtoD (Pinned -> Device)", CopyKind::host_to_device, MemoryKind::pinned,
       MemoryKind::device},
      {"Memcpy DtoH (Device -> Pageable)", CopyKind::device_to_host, MemoryKind::device,
       MemoryKind::pageable},
      {"Memcpy DtoD (Device -> Device)", CopyKind::device_to_device, MemoryKind::device,
       MemoryKind::device},
      {"Memcpy PtoP (Device -> Device)", CopyKind::peer, MemoryKind::device, MemoryKind::device},
      {"Memcpy HtoH (Managed -> Pinned)", CopyKind::host_to_host, MemoryKind::managed,
       MemoryKind::pinned},
      {"Memcpy HtoA (Pageable -> Array)", CopyKind::host_to_device, MemoryKind::pageable,
       MemoryKind::array},
      {"Memcpy XtoY (Odd -> )", CopyKind::none, MemoryKind::unknown, MemoryKind::unknown},
      {"Memcpy", CopyKind::none, MemoryKind::unknown, MemoryKind::unknown},
  };
  for (const Row& row : rows) {
    const TraceData data = read_events(copy("gpu_memcpy", row.name));
    ASSERT_EQ(data.device_ops.size(), 1U) << row.name;
    const DeviceOps& d = data.device_ops;
    EXPECT_EQ(d.kind[0], DeviceOpKind::memcpy);
    EXPECT_EQ(d.copy_kind[0], row.kind) << row.name;
    EXPECT_EQ(d.source_memory[0], row.source) << row.name;
    EXPECT_EQ(d.target_memory[0], row.target) << row.name;
    EXPECT_EQ(d.bytes[0], 18874368U);
  }
}

TEST(KinetoCategories, MemsetHasATargetOnly) {
  const TraceData data = read_events(copy("gpu_memset", "Memset (Device)"));
  EXPECT_THAT(data.device_ops.kind, ElementsAre(DeviceOpKind::memset));
  EXPECT_THAT(data.device_ops.copy_kind, ElementsAre(CopyKind::none));
  EXPECT_THAT(data.device_ops.source_memory, ElementsAre(MemoryKind::unknown));
  EXPECT_THAT(data.device_ops.target_memory, ElementsAre(MemoryKind::device));
}

TEST(KinetoCategories, PeerCopyNamesItsDeviceAsInDevice) {
  const TraceData data =
      read_events(R"json({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy PtoP (Device -> Device)",
    "pid": 9, "tid": 8, "ts": 5, "dur": 1, "args": {"fromDevice": 0, "inDevice": 2, "toDevice": 1, "fromContext": 1,
    "inContext": 4, "toContext": 2, "stream": 31, "correlation": 9, "bytes": 8}})json");
  ASSERT_EQ(data.streams.size(), 1U);
  EXPECT_EQ(data.streams[0].device, 2U);
  EXPECT_EQ(data.streams[0].context, 4U);
  EXPECT_EQ(data.streams[0].stream, 31U);
}

TEST(KinetoCategories, RuntimeAndDriverCallsAreClassified) {
  const TraceData data = read_events(R"(
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1, "dur": 5,
     "args": {"External id": 6, "cbid": 211, "correlation": 6024}},
    {"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernelEx", "pid": 1, "tid": 1, "ts": 2, "dur": 2,
     "args": {"cbid": 652, "correlation": 6025}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": 1, "tid": 1, "ts": 9, "dur": 1,
     "args": {"cbid": 131, "correlation": 6026}})");
  EXPECT_THAT(data.host_ranges.kind,
              ElementsAre(HostKind::runtime_call, HostKind::driver_call, HostKind::runtime_call));
  EXPECT_THAT(data.calls.api,
              ElementsAre(ApiKind::launch_kernel, ApiKind::launch_kernel, ApiKind::sync_stream));
  EXPECT_THAT(data.calls.correlation, ElementsAre(6024U, 6025U, 6026U));
  EXPECT_THAT(data.calls.range, ElementsAre(0U, 1U, 2U));
  EXPECT_THAT(data.calls.stream, ElementsAre(kNone, kNone, kNone));
  EXPECT_TRUE(data.collected.api_calls);
  EXPECT_FALSE(data.collected.api_arguments);
}

TEST(KinetoCategories, LaunchesLinkToTheirDeviceOps) {
  const Trace trace = Trace::build(read_events(std::string(kKernel) + R"(,
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1744, "tid": 1744, "ts": 1, "dur": 5,
     "args": {"correlation": 3873}})"));
  ASSERT_EQ(trace.device_ops().size(), 1U);
  EXPECT_EQ(trace.launch_of(0), 0U);
}

constexpr const char* kWaits = R"(
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaEventRecord", "pid": 1, "tid": 1, "ts": 1, "dur": 1,
     "args": {"correlation": 11}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamWaitEvent", "pid": 1, "tid": 1, "ts": 3, "dur": 1,
     "args": {"correlation": 12}},
    {"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 20, "ts": 3.5, "dur": 2.25,
     "args": {"cuda_sync_kind": "Stream Wait Event", "wait_on_stream": 7,
     "wait_on_cuda_event_record_corr_id": RECORD, "wait_on_cuda_event_id": 5, "stream": 20, "correlation": 12,
     "device": 0, "context": 1}},
    {"ph": "X", "cat": "cuda_sync", "name": "Context Sync", "pid": 0, "tid": 1, "ts": 8, "dur": 2,
     "args": {"cuda_sync_kind": "Context Sync", "stream": -1, "correlation": 13, "device": 0, "context": 1}})";

std::string waits(std::string_view record) {
  std::string text = kWaits;
  return text.replace(text.find("RECORD"), 6, record);
}

TEST(KinetoCategories, SyncRecordsAreWaitsAndTellTheirCallsArguments) {
  const TraceData data = read_events(waits("11") + R"(,
    {"ph": "X", "cat": "cuda_event", "name": "cudaEventRecord", "pid": 0, "tid": 7, "ts": 0.000, "dur": 0.001,
     "args": {"event_id": 5, "stream": 7, "correlation": 11, "device": 0, "context": 1}})");
  EXPECT_EQ(data.device_ops.size(), 0U) << "waits are not device work";
  EXPECT_THAT(data.syncs.api, ElementsAre(ApiKind::stream_wait_event, ApiKind::sync_device));
  EXPECT_THAT(data.syncs.begin, ElementsAre(3500, 8000));
  EXPECT_THAT(data.syncs.end, ElementsAre(5750, 10000));
  EXPECT_THAT(data.syncs.correlation, ElementsAre(12U, 13U));
  EXPECT_THAT(data.syncs.awaited_correlation, ElementsAre(11U, 0U));
  EXPECT_EQ(data.syncs.stream[1], kNone);
  ASSERT_LT(data.syncs.stream[0], data.streams.size());
  EXPECT_EQ(data.streams[data.syncs.stream[0]].stream, 20U);
  EXPECT_TRUE(data.collected.api_arguments);
  ASSERT_EQ(data.calls.size(), 2U);
  EXPECT_EQ(data.streams[data.calls.stream[0]].stream, 7U);
  EXPECT_EQ(data.streams[data.calls.stream[1]].stream, 20U);
  EXPECT_NE(data.calls.event[0], 0U);
  EXPECT_EQ(data.calls.event[0], data.calls.event[1]) << "record and wait name the same event";
}

TEST(KinetoCategories, UnresolvedWaitsDoNotClaimArguments) {
  const TraceData data = read_events(waits("-1"));
  EXPECT_THAT(data.syncs.awaited_correlation, ElementsAre(0U, 0U));
  EXPECT_FALSE(data.collected.api_arguments);
  EXPECT_EQ(data.health.missing_fields, 0U);
}

TEST(KinetoCategories, PythonFunctionsAreSitesOfTheirDefinition) {
  struct Row {
    const char* name;
    const char* file;
    std::uint32_t line;
    const char* function;
  };
  const Row rows[] = {
      {"torch/nn/modules/linear.py(124): forward", "torch/nn/modules/linear.py", 124, "forward"},
      {"<string>(2): __init__", "<string>", 2, "__init__"},
      {"<frozen importlib._bootstrap>(1360): _find", "<frozen importlib._bootstrap>", 1360,
       "_find"},
      {"a (copy)/x.py(7): <lambda>", "a (copy)/x.py", 7, "<lambda>"},
      {"x.py(7): f(3): g", "x.py", 7, "f(3): g"},
      {"<built-in method linear of type object at 0x7f>", nullptr, 0, ""},
      {"nn.Module: Linear_0", nullptr, 0, ""},
      {"x.py(99999999999): f", nullptr, 0, ""},
      {"(3): f", nullptr, 0, ""},
  };
  for (const Row& row : rows) {
    const TraceData data =
        read_events(R"({"ph": "X", "cat": "python_function", "name": ")" + std::string(row.name) +
                    R"(", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"Python id": 3}})");
    ASSERT_EQ(data.host_ranges.size(), 1U);
    EXPECT_EQ(data.host_ranges.kind[0], HostKind::python_function);
    EXPECT_EQ(data.strings.view(data.host_ranges.name[0]), row.name);
    if (row.file == nullptr) {
      EXPECT_EQ(data.host_ranges.site[0], kNone) << row.name;
      continue;
    }
    ASSERT_LT(data.host_ranges.site[0], data.sites.size()) << row.name;
    const Site& site = data.sites[data.host_ranges.site[0]];
    EXPECT_EQ(data.strings.view(site.file), row.file);
    EXPECT_EQ(site.line, row.line);
    EXPECT_EQ(data.strings.view(site.function), row.function);
    EXPECT_EQ(site.kind, SiteKind::function);
    EXPECT_TRUE(data.collected.python_functions);
    EXPECT_FALSE(data.collected.call_sites);
  }
}

// "apply" was called in "call" and never returned: what follows in "main" is not in it.
TEST(KinetoCategories, APythonFrameWithoutAReturnEndsWithItsCaller) {
  const std::string frame = R"({"ph": "X", "cat": "python_function", "pid": 1, "tid": 1, )";
  const TraceData data = read_events(frame + R"("name": "main", "ts": 0, "dur": 100},)" + frame +
                                     R"("name": "call", "ts": 10, "dur": 20},)" + frame +
                                     R"("name": "apply", "ts": 12, "dur": 85},)" + frame +
                                     R"("name": "inside", "ts": 14, "dur": 4},)" + frame +
                                     R"("name": "after", "ts": 40, "dur": 50},
      {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 95, "dur": 20})");
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < data.host_ranges.size(); ++i)
    lengths.push_back((data.host_ranges.end[i] - data.host_ranges.begin[i]) / 1'000);
  EXPECT_THAT(lengths, ElementsAre(100, 20, 18, 4, 50, 20)) << "an op may cross a frame";
  EXPECT_THAT(data.health.notes,
              testing::Contains(testing::HasSubstr("1 Python frame without a return")));
}

TEST(KinetoCategories, OverheadBelongsToTheMainProcess) {
  const TraceData data = read_events(R"(
    {"ph": "X", "cat": "overhead", "name": "Buffer Flush", "pid": -1, "tid": 0, "ts": 5, "dur": 72.821},
    {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 33, "tid": 33, "ts": 1, "dur": 1})");
  EXPECT_THAT(data.host_ranges.kind, ElementsAre(HostKind::overhead, HostKind::op));
  ASSERT_EQ(data.processes.size(), 1U);
  EXPECT_EQ(data.processes[0].pid, 33);
  for (const Thread& thread : data.threads) EXPECT_EQ(thread.process, 0U);
}

TEST(KinetoCategories, CollectivesKeepTheirCategory) {
  const TraceData data =
      read_events(R"({"ph": "X", "cat": "collective_comm", "name": "allreduce", "pid": 1,
    "tid": 1, "ts": 1, "dur": 1, "args": {"Collective name": "allreduce", "In msg nelems": 4096, "Group size": 8}})");
  ASSERT_EQ(data.host_ranges.size(), 1U);
  EXPECT_EQ(data.host_ranges.kind[0], HostKind::other);
  EXPECT_EQ(data.strings.view(data.host_ranges.category[0]), "collective_comm");
}

TEST(KinetoCategories, CollectiveMetadataOfAKernelIsTolerated) {
  const TraceData data =
      read_events(R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
    "pid": 3, "tid": 20, "ts": 4, "dur": 8, "args": {"device": 3, "context": 1, "stream": 20, "correlation": 2,
    "grid": [24, 1, 1], "block": [544, 1, 1], "Collective name": "allreduce", "In msg nelems": 1048576,
    "Out msg nelems": 1048576, "Group size": 8, "dtype": "Float", "Process Group Name": "0",
    "Process Group Description": "default_pg", "Process Group Ranks": "[0, 1, 2, 3, 4, 5, 6, 7]", "Seq": 17}})");
  ASSERT_EQ(data.device_ops.size(), 1U);
  EXPECT_EQ(data.streams[0].device, 3U);
  EXPECT_EQ(data.health.missing_fields, 0U);
}

TEST(KinetoCategories, InstantsAreMarks) {
  const TraceData data = read_events(R"(
    {"name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g", "pid": "Traces",
     "tid": "Trace PyTorch Profiler", "ts": 4.679},
    {"name": "mine", "ph": "i", "s": "t", "pid": 1, "tid": 2, "ts": 5}, 
    {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 9})");
  EXPECT_THAT(data.marks.time, ElementsAre(4679, 5000, 9000));
  ASSERT_EQ(data.threads.size(), 1U);
  EXPECT_THAT(data.marks.thread, ElementsAre(kNone, 0U, kNone));
}

TEST(KinetoCategories, MemoryEventsAreCounters) {
  const TraceData data =
      read_events(R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 6,
    "tid": 7, "ts": 1.5, "args": {"Total Reserved": 1910505472, "Total Allocated": 795438592, "Bytes": 102400,
    "Addr": 137224702615552, "Device Id": 0, "Device Type": 1, "Ev Idx": 126}})");
  ASSERT_EQ(data.counters.size(), 2U);
  EXPECT_THAT(data.counters.time, ElementsAre(1500, 1500));
  EXPECT_THAT(data.counters.value, ElementsAre(795438592.0, 1910505472.0));
  EXPECT_EQ(data.strings.view(data.counters.track[0]), "memory allocated cuda:0 (bytes)");
  EXPECT_LT(data.counters.process[0], data.processes.size());
}

TEST(KinetoCategories, CounterEventsGiveOneTrackANumber) {
  const TraceData data = read_events(R"(
    {"ph": "C", "name": "sm", "pid": 0, "ts": 2, "args": {"active %": 97.5, "name": "x", "bad": NaN, "n": {"a": 1}}},
    {"ph": "X", "cat": "hardware_counters", "name": "dram", "pid": 0, "tid": 0, "ts": 3, "args": {"GB/s": 3e3}})");
  EXPECT_THAT(data.counters.time, ElementsAre(2000, 3000));
  EXPECT_THAT(data.counters.value, ElementsAre(97.5, 3000.0));
  EXPECT_EQ(data.strings.view(data.counters.track[0]), "sm: active %");
  EXPECT_EQ(data.strings.view(data.counters.track[1]), "dram: GB/s");
}

TEST(KinetoCategories, CountersWithoutArgumentsAreCountedMissing) {
  const TraceData data = read_events(R"({"ph": "C", "name": "a", "pid": 0, "ts": 2},
    {"ph": "C", "name": "b", "pid": 0, "ts": 2, "args": 5})");
  EXPECT_EQ(data.counters.size(), 0U);
  EXPECT_EQ(data.health.missing_fields, 2U);
}

TEST(KinetoCategories, TraceSpanAndFlowsAreNoRanges) {
  kineto::CategoryCounts counts{};
  const TraceData data = read_good(document(R"json(
    {"ph": "X", "cat": "Trace", "ts": 1, "dur": 9, "pid": "Spans", "tid": "PyTorch Profiler",
     "name": "PyTorch Profiler (0)", "args": {"Op count": 0}},
    {"ph": "s", "id": 1, "pid": 1, "tid": 1, "ts": 2, "cat": "ac2g", "name": "ac2g"},
    {"ph": "f", "id": 1, "pid": 0, "tid": 7, "ts": 3, "cat": "ac2g", "name": "ac2g", "bp": "e"},
    {"ph": "s", "id": 1, "pid": 1, "tid": 1, "ts": 2, "cat": "fwdbwd", "name": "fwdbwd"})json"),
                                   {.counts = &counts});
  EXPECT_EQ(data.host_ranges.size(), 0U);
  EXPECT_EQ(data.health.skipped_events, 0U);
  EXPECT_EQ(counts[static_cast<std::size_t>(kineto::Category::trace_span)], 1U);
  EXPECT_EQ(counts[static_cast<std::size_t>(kineto::Category::flow_ac2g)], 2U);
  EXPECT_EQ(counts[static_cast<std::size_t>(kineto::Category::flow_fwdbwd)], 1U);
}

TEST(KinetoCategories, UnknownOnesAreCountedAndNamed) {
  const TraceData data = read_events(R"(
    {"ph": "X", "cat": "mystery", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1},
    {"ph": "X", "cat": "mystery", "name": "b", "pid": 1, "tid": 1, "ts": 1, "dur": 1},
    {"ph": "b", "cat": "cpu_op", "name": "async", "pid": 1, "tid": 1, "ts": 1})");
  EXPECT_EQ(data.host_ranges.size(), 0U);
  EXPECT_EQ(data.health.skipped_events, 3U);
  ASSERT_EQ(data.health.notes.size(), 1U);
  EXPECT_THAT(data.health.notes[0], HasSubstr("\"mystery\" (2)"));
}

TEST(KinetoCategories, OldCapitalisedNames) {
  const TraceData data = read_events(R"(
    {"ph": "X", "cat": "Operator", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1, "dur": 1},
    {"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1, "dur": 1,
     "args": {"correlation": 4}},
    {"ph": "X", "cat": "Kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"correlation": 4}})");
  EXPECT_THAT(data.host_ranges.kind, ElementsAre(HostKind::op, HostKind::runtime_call));
  EXPECT_EQ(data.device_ops.size(), 1U);
  EXPECT_THAT(data.health.notes, IsEmpty());
}

}  // namespace
}  // namespace stepscope
