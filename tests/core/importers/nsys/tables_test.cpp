// SPDX-License-Identifier: Apache-2.0
// One small export a fact: what becomes of its rows.
#include <gmock/gmock.h>

#include "tests/core/importers/nsys/nsys_maker.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string name_at(const TraceData& data, StringId id) {
  return std::string(data.strings.view(id));
}

TEST(NsysTables, AKernelIsLinkedToItsLaunchByProcessAndCorrelation) {
  const NsysFile file;
  file.run(std::string(kStringTable) + kKernelTable + kRuntimeTable +
           "INSERT INTO StringIds VALUES (1, 'void gemm<float>()'), (2, 'gemm'), "
           "(3, 'cudaLaunchKernel_v7000');"
           "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 0, " +
           gtid(5, 6) + ", 77, 3, 0), (11, 21, 0, " + gtid(8, 9) +
           ", 77, 3, 0);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 45, 0, 1, 7, 77, " +
           gtid(8, 0) + ", 1, 2, 4, 5, 6, 32, 2, 1, 40, 100, 28, 3, 9);");
  const Trace trace = Trace::build(file.read());
  ASSERT_EQ(trace.device_ops().size(), 1U);
  const DeviceOps& d = trace.device_ops();
  EXPECT_EQ(trace.text(d.name[0]), "void gemm<float>()");
  EXPECT_EQ(d.end[0] - d.begin[0], 15);
  EXPECT_EQ(d.graph[0], 3U);
  EXPECT_EQ(d.graph_node[0], 9U);
  const LaunchConfig& config = trace.data().launch_configs[d.launch_config[0]];
  EXPECT_THAT(config.grid, ElementsAre(4U, 5U, 6U));
  EXPECT_EQ(config.shared_bytes, 128U);
  ASSERT_NE(trace.launch_of(0), kNone);
  const RangeId call = trace.calls().range[trace.launch_of(0)];
  EXPECT_EQ(trace.text(trace.host_ranges().name[call]), "cudaLaunchKernel");
  const Thread& thread = trace.data().threads[trace.host_ranges().thread[call]];
  EXPECT_EQ(thread.tid, 9);
  EXPECT_EQ(trace.data().processes[thread.process].pid, 8);
}

TEST(NsysTables, AKernelWithoutAnEndHasNoLengthAndOneOfZerosNoTime) {
  const NsysFile file;
  const auto row = [](const std::string& times) {
    return "(" + times + ", 0, 1, 7, 77, " + gtid(8, 0) +
           ", 1, 2, 4, 5, 6, 32, 2, 1, 40, 100, 28, 3, 9)";
  };
  file.run(std::string(kStringTable) + kKernelTable +
           "INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'gemm');"
           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES " +
           row("30, NULL") + ", " + row("40, 9223372036854775807") + ", " + row("0, 0") + ", " +
           row("0, 5") + ";");
  const DeviceOps d = file.read().device_ops;
  ASSERT_EQ(d.size(), 4U);
  for (const std::size_t op : {0U, 1U}) {
    EXPECT_NE(d.begin[op], 0) << op;
    EXPECT_EQ(d.begin[op], d.end[op]) << op;
  }
  EXPECT_EQ(d.begin[2], 0);
  EXPECT_EQ(d.end[3] - d.begin[3], 5);
}

// The export calls the memories of both sides unknown.
TEST(NsysTables, AMigrationIsOfManagedMemory) {
  const NsysFile file;
  file.run(std::string(kStringTable) + kKernelTable +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, "
           "correlationId, globalPid, bytes, copyKind, srcKind, dstKind);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (30, 45, 0, 0, 0, 0, " +
           gtid(8, 0) + ", 4096, 11, 7, 7);");
  const TraceData data = file.read();
  ASSERT_EQ(data.device_ops.size(), 1U);
  EXPECT_EQ(data.device_ops.copy_kind[0], CopyKind::host_to_device);
  EXPECT_EQ(data.device_ops.source_memory[0], MemoryKind::managed);
  EXPECT_EQ(data.device_ops.target_memory[0], MemoryKind::managed);
}

TEST(NsysTables, AnOldSchemaWithoutProcessesAndGraphsLoads) {
  const NsysFile file;
  file.run(std::string(kStringTable) + kRuntimeTable +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (streamId, correlationId, shortName, end, "
           "start);"
           "INSERT INTO StringIds VALUES (2, 'gemm'), (3, 'cudaLaunchKernel_v7000');"
           "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 0, " +
           gtid(5, 6) +
           ", 77, 3, 0); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (7, 77, 2, 45, 30);");
  const Trace trace = Trace::build(file.read());
  ASSERT_EQ(trace.device_ops().size(), 1U);
  EXPECT_EQ(trace.text(trace.device_ops().name[0]), "gemm");
  EXPECT_NE(trace.launch_of(0), kNone);
  EXPECT_EQ(trace.health().missing_fields, 1U);
}

TEST(NsysTables, DomainsRegisteredStringsMarksAndOpenRanges) {
  const NsysFile file;
  const std::string thread = gtid(5, 6);
  file.run(std::string(kStringTable) + kNvtxTable +
           "CREATE TABLE ANALYSIS_DETAILS (stopTime INTEGER);"
           "INSERT INTO ANALYSIS_DETAILS VALUES (900);"
           "INSERT INTO StringIds VALUES (1, 'ncclAllReduce');"
           "INSERT INTO NVTX_EVENTS VALUES (20, 30, 59, NULL, " +
           thread +
           ", 1, 4),"
           "(5, NULL, 75, 'NCCL', " +
           thread +
           ", NULL, 4),"
           "(10, 40, 59, 'step', " +
           thread +
           ", NULL, 0),"
           "(15, NULL, 34, 'here', " +
           thread +
           ", NULL, 0),"
           "(50, NULL, 60, 'epoch', " +
           thread +
           ", NULL, 0),"
           "(60, 70, 59, 'aten::add, op_id = 3', " +
           thread + ", NULL, 0);");
  const TraceData data = file.read();
  const HostRanges& h = data.host_ranges;
  ASSERT_EQ(h.size(), 4U);
  EXPECT_EQ(name_at(data, h.name[0]), "ncclAllReduce");
  EXPECT_EQ(name_at(data, h.category[0]), "NCCL");
  EXPECT_EQ(name_at(data, h.category[1]), "");
  EXPECT_EQ(h.kind[1], HostKind::nvtx_range);
  EXPECT_EQ(h.end[2] - h.begin[2], 850);
  EXPECT_EQ(h.kind[3], HostKind::op);
  EXPECT_EQ(name_at(data, h.name[3]), "aten::add");
  ASSERT_EQ(data.marks.size(), 1U);
  EXPECT_EQ(name_at(data, data.marks.name[0]), "here");
  EXPECT_THAT(data.health.notes, Contains(HasSubstr("1 NVTX ranges were still open")));
}

TEST(NsysTables, GraphsByGraphAndByNode) {
  const NsysFile file;
  file.run(std::string(kStringTable) +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, contextId, "
           "streamId, correlationId, globalPid, graphId, graphExecId);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (10, 90, 0, 1, 7, 3, " +
           gtid(5, 0) +
           ", 12, 13);"
           "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start, end, nameId, eventClass, globalTid, "
           "graphNodeId, originalGraphNodeId);"
           "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (4, 5, 1, 77, " +
           gtid(5, 6) + ", 100, NULL), (6, 7, 1, 77, " + gtid(5, 6) + ", 200, 100);");
  const TraceData data = file.read();
  ASSERT_EQ(data.device_ops.size(), 1U);
  EXPECT_EQ(data.device_ops.kind[0], DeviceOpKind::graph);
  EXPECT_EQ(name_at(data, data.device_ops.name[0]), "CUDA graph 12");
  EXPECT_THAT(data.graph_nodes.node, ElementsAre(100U, 200U));
  EXPECT_THAT(data.graph_nodes.original, ElementsAre(0U, 100U));
}

TEST(NsysTables, WaitsFindTheirRecordByIdAndInOldExportsByOrder) {
  for (const bool old : {false, true}) {
    const NsysFile file;
    const std::string sync = old ? "" : ", eventSyncId";
    const auto id = [old](int number) {
      return old ? std::string() : ", " + std::to_string(number);
    };
    const std::string process = gtid(5, 0);
    file.run(std::string(kStringTable) + kRuntimeTable +
             "INSERT INTO StringIds VALUES (1, 'cudaEventRecord_v3020'), "
             "(2, 'cudaStreamWaitEvent_v3020');"
             "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 11, 0, " +
             gtid(5, 6) + ", 20, 1, 0), (12, 13, 0, " + gtid(5, 6) + ", 30, 1, 0), (14, 15, 0, " +
             gtid(5, 6) +
             ", 40, 2, 0);"
             "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId, contextId, streamId, "
             "correlationId, globalPid, eventId" +
             sync +
             ");"
             "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 7, 20, " +
             process + ", 9" + id(501) + "), (0, 1, 7, 30, " + process + ", 9" + id(502) +
             ");"
             "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId, "
             "streamId, correlationId, globalPid, syncType, eventId" +
             sync +
             ");"
             "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (14, 15, 0, 1, 8, 40, " +
             process + ", 2, 9" + id(502) + ");");
    const TraceData data = file.read();
    ASSERT_EQ(data.syncs.size(), 1U);
    EXPECT_EQ(data.syncs.api[0], ApiKind::stream_wait_event);
    EXPECT_EQ(data.syncs.awaited_correlation[0], 30U);
    EXPECT_TRUE(data.collected.api_arguments);
    EXPECT_EQ(data.calls.event[1], data.calls.event[2]);
    EXPECT_EQ(data.streams[data.calls.stream[2]].stream, 8U);
  }
}

TEST(NsysTables, CallsOfTheSystemInsideCudaCallsAreLeftToThem) {
  const NsysFile file;
  const std::string thread = gtid(5, 6);
  file.run(std::string(kStringTable) + kRuntimeTable +
           "INSERT INTO StringIds VALUES (1, 'cudaMalloc_v3020'), (2, 'ioctl'), (3, 'poll');"
           "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 50, 0, " +
           thread +
           ", 1, 1, 0);"
           "CREATE TABLE OSRT_API (start, end, globalTid, nameId);"
           "INSERT INTO OSRT_API VALUES (20, 30, " +
           thread + ", 2), (60, 90, " + thread + ", 3), (20, 30, " + gtid(5, 7) + ", 2);");
  const TraceData data = file.read();
  ASSERT_EQ(data.host_ranges.size(), 3U);
  EXPECT_EQ(data.host_ranges.kind[1], HostKind::off_cpu);
  EXPECT_EQ(data.host_ranges.kind[2], HostKind::other);
  EXPECT_TRUE(data.collected.off_cpu);
  EXPECT_THAT(data.health.notes, Contains(HasSubstr("1 calls of the operating system")));
}

TEST(NsysTables, OverheadIsNamedByItsTypeWhereItHasNoName) {
  const NsysFile file;
  file.run(std::string(kStringTable) +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (start, end, globalTid, overheadType);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (10, 20, NULL, 7), (30, 40, " +
           gtid(5, 6) + ", 99);");
  const TraceData data = file.read();
  ASSERT_EQ(data.host_ranges.size(), 2U);
  EXPECT_EQ(name_at(data, data.host_ranges.name[0]), "Lazy Function Loading");
  EXPECT_EQ(name_at(data, data.host_ranges.name[1]), "Overhead");
  EXPECT_EQ(data.host_ranges.kind[0], HostKind::overhead);
}

TEST(NsysTables, TablesMayCarryTheirVersion) {
  const NsysFile file;
  std::string versioned = kNvtxTable;
  versioned.replace(versioned.find("NVTX_EVENTS"), 11, "NVTX_EVENTS_V3");
  file.run(std::string(kStringTable) + versioned +
           "INSERT INTO NVTX_EVENTS_V3 VALUES (1, 2, 59, 'a', " + gtid(5, 6) + ", NULL, 0);");
  EXPECT_EQ(file.read().host_ranges.size(), 1U);
}

TEST(NsysTables, TablesThatAreNotReadAreNamed) {
  const NsysFile file;
  file.run(std::string(kStringTable) + kNvtxTable +
           "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 'a', " + gtid(5, 6) +
           ", NULL, 0); CREATE TABLE SCHED_EVENTS (start, cpu);"
           "INSERT INTO SCHED_EVENTS VALUES (1, 2), (3, 4);");
  EXPECT_THAT(file.read().health.notes, Contains(HasSubstr("SCHED_EVENTS (2)")));
}

TEST(NsysTables, ATableWhoseEndsAreCalledOtherwiseIsSaid) {
  const NsysFile file;
  file.run(std::string(kStringTable) +
           "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, endNs INTEGER);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 45);");
  const Result<TraceData> nothing = read_nsys(file.path);
  ASSERT_FALSE(nothing.ok());
  EXPECT_THAT(nothing.error().message, HasSubstr("has no column \"end\" (it has endNs, start)"));
}

TEST(NsysTables, ATableWhoseTimesAreCalledOtherwiseIsSaid) {
  const std::string renamed =
      std::string(kStringTable) +
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (startNs INTEGER, endNs INTEGER, streamId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 45, 7);";
  const auto said = HasSubstr(
      "the table CUPTI_ACTIVITY_KIND_KERNEL of this export has no column \"start\" (it has endNs, "
      "startNs, streamId)");
  const NsysFile alone;
  alone.run(renamed);
  const Result<TraceData> nothing = read_nsys(alone.path);
  ASSERT_FALSE(nothing.ok());
  EXPECT_THAT(nothing.error().message, said);
  const NsysFile beside;
  beside.run(renamed + kNvtxTable + "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 'a', " + gtid(5, 6) +
             ", NULL, 0);");
  const TraceData data = beside.read();
  EXPECT_EQ(data.device_ops.size(), 0U);
  EXPECT_THAT(data.health.notes, Contains(said));
}

TEST(NsysTables, AnExportWithoutTextsSaysSo) {
  const NsysFile file;
  file.run(std::string("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);") + kRuntimeTable +
           "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 0, " + gtid(5, 6) +
           ", 77, 3, 0);");
  EXPECT_THAT(file.read().health.notes, Contains(HasSubstr("no table StringIds")));
}

}  // namespace
}  // namespace stepscope
