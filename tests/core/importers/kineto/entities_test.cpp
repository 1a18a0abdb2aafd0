// SPDX-License-Identifier: Apache-2.0
// Names and owners: processes, threads, streams, devices, facts about the run.
#include <gmock/gmock.h>

#include "tests/core/importers/kineto/kineto_maker.hpp"
#include "tests/support/cpu_growth.hpp"

namespace stepscope {
namespace {

std::string label(std::string_view what, std::string_view pid, std::string_view tid,
                  std::string_view name) {
  return R"({"name": ")" + std::string(what) + R"(", "ph": "M", "ts": 1, "pid": )" +
         std::string(pid) + R"(, "tid": )" + std::string(tid) + R"(, "args": {"name": ")" +
         std::string(name) + R"("}})";
}

constexpr const char* kOp =
    R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 619, "tid": 659, "ts": 1, "dur": 1})";
constexpr const char* kSmallKernel =
    R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1,
  "args": {"device": 0, "context": 1, "stream": 7, "correlation": 1}})";

std::string joined(std::initializer_list<std::string> events) {
  std::string out;
  for (const std::string& event : events) out += (out.empty() ? "" : ",") + event;
  return out;
}

TEST(KinetoEntities, LabelsNameProcessesThreadsAndStreams) {
  const TraceData data = read_events(joined(
      {kOp, kSmallKernel, label("process_name", "619", "0", "python3"),
       label("process_name", "0", "0", "python3"), label("thread_name", "0", "7", "stream 7 "),
       label("thread_name", "619", "659", "thread 659 (pt_autograd_0)")}));
  ASSERT_EQ(data.processes.size(), 1U);
  EXPECT_EQ(data.processes[0].name, "python3");
  ASSERT_EQ(data.threads.size(), 1U);
  EXPECT_EQ(data.threads[0].name, "pt_autograd_0");
  ASSERT_EQ(data.streams.size(), 1U);
  EXPECT_EQ(data.streams[0].name, "stream 7");
  EXPECT_EQ(data.streams[0].process, 0U);
}

std::string many_streams_and_labels(int count) {
  std::string events;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    events += R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1,
      "args": {"device": )" +
              number + R"(, "context": 1, "stream": 7, "correlation": )" + number + "}}," +
              label("thread_name", number, "7", "stream 7 ") + ",";
  }
  events.pop_back();
  return events;
}

// Joined pair by pair they would take minutes.
TEST(KinetoEntities, ManyStreamsAndLabelsAreReadInTime) {
  constexpr int kMany = 60'000;
  TraceData data;
  const double growth =
      cpu_growth(kMany, [&data](int count) { data = read_events(many_streams_and_labels(count)); });
  EXPECT_LT(growth, kGrowthOfPairs);
  EXPECT_EQ(data.devices.size(), std::size_t{kMany});
  EXPECT_EQ(data.streams.at(kMany - 1).name, "stream 7");
}

TEST(KinetoEntities, AThreadsOwnNameBeatsTheProcessName) {
  const std::string process = label("process_name", "619", "0", "python3");
  const std::string own = label("thread_name", "619", "659", "thread 659 (pt_autograd_0)");
  const std::string generic = label("thread_name", "619", "659", "thread 659 (python3)");
  EXPECT_EQ(read_events(joined({kOp, process, own, generic})).threads.at(0).name, "pt_autograd_0");
  EXPECT_EQ(read_events(joined({kOp, process, generic, own})).threads.at(0).name, "pt_autograd_0");
  EXPECT_EQ(read_events(joined({kOp, process, generic})).threads.at(0).name, "python3");
}

// In a container python may be pid 1 while device 1 exists: both label tid 7 of "process" 1.
TEST(KinetoEntities, AProcessMayHaveTheNumberOfADevice) {
  const TraceData data = read_events(
      joined({R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1})",
              R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 1, "tid": 7, "ts": 1, "dur": 1,
           "args": {"device": 1, "context": 2, "stream": 7, "correlation": 1}})",
              label("thread_name", "1", "1", "thread 1 (python3)"),
              label("thread_name", "1", "7", "stream 7 ")}));
  ASSERT_EQ(data.processes.size(), 1U);
  ASSERT_EQ(data.threads.size(), 1U);
  EXPECT_EQ(data.threads[0].name, "python3");
  EXPECT_EQ(data.streams[0].name, "stream 7");
}

TEST(KinetoEntities, AThreadUnderADevicesNumberIsTheProgramsOwn) {
  const auto labels = [](const std::string& pid, const std::string& of) {
    return R"({"ph": "M", "name": "process_labels", "pid": )" + pid +
           R"(, "tid": 0, "args": {"labels": ")" + of + R"("}})";
  };
  const TraceData data = read_events(joined(
      {R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 41, "tid": 41, "ts": 1, "dur": 1})",
       R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 41, "tid": 41, "ts": 1, "dur": 1,
           "args": {"correlation": 1}})",
       R"({"ph": "X", "cat": "python_function", "name": "threading.py(359): wait", "pid": 0, "tid": 0, "ts": 1, "dur": 9})",
       kSmallKernel, labels("41", "CPU"), labels("0", "GPU 0")}));
  ASSERT_EQ(data.processes.size(), 1U);
  EXPECT_EQ(data.processes[0].pid, 41);
  for (const Thread& thread : data.threads) EXPECT_EQ(thread.process, 0U);
}

TEST(KinetoEntities, StreamsBelongToTheProcessThatCallsCuda) {
  const TraceData data = read_events(joined(
      {R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 5, "tid": 5, "ts": 1, "dur": 1})",
       R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 5, "tid": 5, "ts": 2, "dur": 1})",
       R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 6, "tid": 6, "ts": 1, "dur": 1,
           "args": {"correlation": 1}})",
       kSmallKernel}));
  ASSERT_EQ(data.processes.size(), 2U);
  EXPECT_EQ(data.processes[data.streams.at(0).process].pid, 6);
  EXPECT_EQ(Trace::build(read_events(kSmallKernel)).device_ops().size(), 1U)
      << "a file of device ops alone";
}

TEST(KinetoEntities, DevicesComeFromTheirPropertiesAndFromTheirUse) {
  const TraceData data =
      read_events(kSmallKernel, R"("deviceProperties": [{"id": 3, "name": "NVIDIA H200",
    "totalGlobalMem": 150109880320, "computeMajor": 9, "computeMinor": 0, "numSms": 132}])");
  ASSERT_EQ(data.devices.size(), 2U);
  EXPECT_EQ(data.devices[0].index, 3U);
  EXPECT_EQ(data.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(data.devices[0].memory_bytes, 150109880320U);
  EXPECT_EQ(data.devices[0].multiprocessors, 132U);
  EXPECT_EQ(data.devices[0].compute_major, 9U);
  EXPECT_EQ(data.devices[1].index, 0U);
  EXPECT_EQ(data.devices[1].name, "");
}

TEST(KinetoEntities, RankAndVersionsAreFacts) {
  const TraceData data =
      read_events(kOp, R"("distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8,
    "pg_count": 1, "pg_config": [{"pg_name": "0", "ranks": [0, 1]}], "nccl_version": "2.27.5"},
    "cuda_runtime_version": 13000, "cuda_driver_version": 12080, "cupti_version": 130001, "with_stack": 1,
    "trace_id": "4B\u0041", "mine": {"a": [1]})");
  const Process& process = data.processes.at(0);
  EXPECT_EQ(process.rank, 3);
  EXPECT_EQ(process.world_size, 8);
  EXPECT_EQ(process.facts.at("distributed.backend"), "nccl");
  EXPECT_EQ(process.facts.at("distributed.nccl_version"), "2.27.5");
  EXPECT_EQ(process.facts.at("cuda_runtime"), "13.0");
  EXPECT_EQ(process.facts.at("cuda_driver"), "12.8");
  EXPECT_EQ(process.facts.at("cupti"), "130001");
  EXPECT_EQ(process.facts.at("kineto.trace_id"), "4BA");
  EXPECT_EQ(process.facts.at("kineto.mine"), R"({"a": [1]})");
}

TEST(KinetoEntities, FactsThatDoNotReadAreCountedNotFatal) {
  const TraceData data = read_events(kOp, R"("distributedInfo": 7, "deviceProperties": {"a": 1},
    "baseTimeNanoseconds": "soon", "cuda_runtime_version": null)");
  EXPECT_EQ(data.processes.at(0).rank, -1);
  EXPECT_EQ(data.health.missing_fields, 3U);
  EXPECT_EQ(data.host_ranges.begin.at(0), 1000);
}

// A merger of ranks gives each process a label; both ranks count their calls from 1.
TEST(KinetoEntities, StreamsOfMergedRanksAreTheirOwn) {
  std::string events;
  for (int k = 1; k <= 4; ++k) {
    for (int rank = 0; rank < 2; ++rank) {
      const std::string pid =
          "\"[TP0" + std::to_string(rank) + "] " + std::to_string(4100 + rank) + "\"";
      const std::string id = std::to_string(k), at = std::to_string(100 * k + 1000 * rank);
      events +=
          std::string(events.empty() ? "" : ",") +
          R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 5, "dur": 5, "pid": )" +
          pid + R"(, "ts": )" + at + R"(, "args": {"correlation": )" + id + R"(}},
                {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "dur": 5, "ts": )" +
          at + R"(.5, "args": {"stream": 7, "device": )" + std::to_string(rank) +
          R"(, "correlation": )" + id + "}}";
    }
  }
  const TraceData data = read_events(events);
  ASSERT_EQ(data.processes.size(), 2U);
  EXPECT_EQ(data.processes[1].pid, 4101);
  ASSERT_EQ(data.streams.size(), 2U);
  EXPECT_EQ(data.streams[0].process, 0U);
  EXPECT_EQ(data.streams[1].process, 1U);
  EXPECT_THAT(data.health.notes,
              ::testing::Contains(::testing::HasSubstr("2 processes launch work")));
}

TEST(KinetoEntities, ARankThatCannotBeIsSaid) {
  const auto rank_of = [](std::string_view info) {
    const TraceData data = read_good(document(kOp, R"("distributedInfo": )" + std::string(info)));
    return std::pair(data.processes.at(0).rank, data.health.notes.size());
  };
  EXPECT_EQ(rank_of(R"({"rank": 1, "world_size": 2})"), std::pair(1, std::size_t{0}));
  EXPECT_EQ(rank_of(R"({"rank": "1", "world_size": "2"})"), std::pair(1, std::size_t{0}));
  EXPECT_EQ(rank_of(R"({"rank": 5, "world_size": 2})"), std::pair(-1, std::size_t{1}));
}

TEST(KinetoEntities, ADeviceOfWhichNothingWasRecordedIsSaid) {
  const TraceData data =
      read_good(document(kOp, R"("deviceProperties": [{"id": 0, "name": "Some GPU"}])"));
  EXPECT_THAT(data.health.notes,
              ::testing::Contains(::testing::HasSubstr("ProfilerActivity.CUDA")));
}

}  // namespace
}  // namespace stepscope
