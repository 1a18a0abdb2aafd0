// SPDX-License-Identifier: Apache-2.0
// Times, ids and names: what is exact, what is tolerated, what is counted.
#include <gmock/gmock.h>

#include "tests/core/importers/kineto/kineto_maker.hpp"

namespace stepscope {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string op(std::string_view fields) {
  return R"({"ph": "X", "cat": "cpu_op", )" + std::string(fields) + "}";
}

TEST(KinetoFields, BaseTimeIsAddedWhereverItStands) {
  const std::string event =
      op(R"("name": "a", "pid": 1, "tid": 1, "ts": 4377651843188.448, "dur": 0.001)");
  const std::string base = R"("baseTimeNanoseconds": 1790857026000000000)";
  for (const std::string& text : {"{" + base + ", \"traceEvents\": [" + event + "]}",
                                  "{\"traceEvents\": [" + event + "], " + base + "}"}) {
    const TraceData data = read_good(text);
    EXPECT_THAT(data.host_ranges.begin, ElementsAre(1795234677843188448));
    EXPECT_THAT(data.host_ranges.end, ElementsAre(1795234677843188449));
  }
}

TEST(KinetoFields, EndIsBeginPlusDurationForManyDigits) {
  for (int i = 0; i < 1000; ++i) {
    const std::string digits = std::to_string(1000 + i).substr(1);
    const std::string duration = std::to_string(1000 + 999 - i).substr(1);
    const TraceData data =
        read_events(op(R"("name": "a", "pid": 1, "tid": 1, "ts": 1790857026123456.)" + digits +
                       R"(, "dur": 1.)" + duration));
    ASSERT_EQ(data.host_ranges.begin.at(0), 1790857026123456000 + i);
    ASSERT_EQ(data.host_ranges.end.at(0), 1790857026123456000 + i + 1000 + 999 - i);
  }
}

TEST(KinetoFields, NumberedEventsThatAreMissingAreToldAsACut) {
  const auto notes_of = [](int from, int to, int step) {
    std::string events;
    for (int i = from; i < to; i += step) {
      events += (events.empty() ? "" : ", ") +
                op(R"("name": "a", "pid": 1, "tid": 1, "ts": )" + std::to_string(100 + i) +
                   R"(, "dur": 1, "args": {"Ev Idx": )" + std::to_string(i) + "}");
    }
    return read_events(events).health.notes;
  };
  EXPECT_THAT(notes_of(0, 300, 1), ::testing::IsEmpty());
  EXPECT_THAT(notes_of(1, 300, 1), ::testing::IsEmpty());  // few
  EXPECT_THAT(notes_of(100, 300, 1),
              ElementsAre(::testing::HasSubstr("of 300 events that the profiler numbered, 100")));
  EXPECT_THAT(notes_of(0, 300, 2), ElementsAre(::testing::HasSubstr("149 are not in the file")));
}

TEST(KinetoFields, QuotedNumbersCount) {
  const TraceData data =
      read_events(op(R"("name": "a", "pid": "7", "tid": "8", "ts": "1000.500", "dur": "2")"));
  EXPECT_THAT(data.host_ranges.begin, ElementsAre(1000500));
  EXPECT_THAT(data.host_ranges.end, ElementsAre(1002500));
  ASSERT_EQ(data.processes.size(), 1U);
  EXPECT_EQ(data.processes[0].pid, 7);
  EXPECT_EQ(data.threads[0].tid, 8);
}

TEST(KinetoFields, OrderOfFieldsDoesNotMatter) {
  const TraceData data =
      read_events(R"({"args": {"correlation": 5, "stream": 7, "device": 0}, "dur": 2, "tid": 7,
    "ts": 3, "name": "k", "pid": 0, "cat": "kernel", "ph": "X"})");
  ASSERT_EQ(data.device_ops.size(), 1U);
  EXPECT_EQ(data.device_ops.begin[0], 3000);
  EXPECT_EQ(data.device_ops.correlation[0], 5U);
  EXPECT_EQ(data.health.missing_fields, 0U);
}

TEST(KinetoFields, OfRepeatedFieldsTheLastCounts) {
  const TraceData data = read_events(
      op(R"("name": "a", "name": "b", "pid": 1, "tid": 1, "ts": 1, "ts": 2, "dur": 1)"));
  ASSERT_EQ(data.host_ranges.size(), 1U);
  EXPECT_EQ(data.strings.view(data.host_ranges.name[0]), "b");
  EXPECT_EQ(data.host_ranges.begin[0], 2000);
}

struct Missing {
  const char* event;
  std::size_t ranges, ops;
  std::uint64_t missing, skipped;
};

TEST(KinetoFields, MissingOnesAreCounted) {
  const Missing rows[] = {
      {R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1})", 1, 0, 0,
       0},  // dur
      {R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "dur": 1})", 0, 0, 1,
       1},  // ts
      {R"({"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1, "dur": 1})", 1, 0, 1,
       0},                                                                              // name
      {R"({"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 1})", 1, 0, 2, 0},  // pid, tid
      {R"({"cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1})", 1, 0, 1,
       0},                                                                                 // ph
      {R"({"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1})", 0, 0, 0, 1},  // cat
      {R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1e400, "dur": 1})", 0,
       0, 1, 1},
      {R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": NaN})", 1,
       0, 0, 0},
      {R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": null})", 1,
       0, 0, 0},
      {R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaFree", "pid": 1, "tid": 1, "ts": 1, "dur": 1})",
       1, 0, 1, 0},
      {R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1})", 0, 1, 3,
       0},  // device, stream, correlation
      {R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1})", 0, 1,
       1, 0},
      {R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1,
           "args": {"correlation": "x", "stream": "x", "grid": [1, 2], "block": "x"}})",
       0, 1, 4, 0},
      {R"json({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": 1,
           "dur": 1, "args": {"correlation": 4}})json",
       0, 1, 1, 0},
      {R"({})", 0, 0, 1, 1},
  };
  for (const Missing& row : rows) {
    const TraceData data = read_events(row.event);
    EXPECT_EQ(data.host_ranges.size(), row.ranges) << row.event;
    EXPECT_EQ(data.device_ops.size(), row.ops) << row.event;
    EXPECT_EQ(data.health.missing_fields, row.missing) << row.event;
    EXPECT_EQ(data.health.skipped_events, row.skipped) << row.event;
    const Trace trace =
        Trace::build(read_events(row.event));  // whatever is missing, the model stands
    EXPECT_EQ(trace.host_ranges().size(), row.ranges);
  }
}

TEST(KinetoFields, CorrelationsWithASignOrOfMoreBitsLinkAsTheyStand) {
  for (const char* id : {"8589934601", "-2147483641", "\"7\""}) {
    const std::string args =
        std::string(R"("args": {"device": 0, "stream": 7, "correlation": )") + id + "}}";
    const Trace trace = Trace::build(read_events(
        R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1, "dur": 1, )" +
        args +
        R"(, {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 3, "dur": 1, )" +
        args));
    EXPECT_EQ(trace.launch_of(0), 0U) << id;
    EXPECT_EQ(trace.health().missing_fields, 0U) << id;
  }
}

// PyTorch 2.12 loses the times of events and writes zeros for both.
TEST(KinetoFields, TimesThatAreAllZeroAreNone) {
  const TraceData data = read_events(R"(
    {"ph": "X", "cat": "cpu_op", "name": "lost", "pid": 1, "tid": 1, "ts": 0.000, "dur": 0.000},
    {"ph": "X", "cat": "cpu_op", "name": "first", "pid": 1, "tid": 1, "ts": 0, "dur": 2},
    {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": -8, "dur": 1,
     "args": {"device": 0, "stream": 7, "correlation": 1}})");
  EXPECT_EQ(data.host_ranges.size(), 1U);
  EXPECT_EQ(data.health.skipped_events, 1U);
  const Trace trace = Trace::build(read_events(R"(
    {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": -8, "dur": 1,
     "args": {"device": 0, "stream": 7, "correlation": 1}})"));
  EXPECT_EQ(trace.device_ops().size(), 1U) << "times may count from the middle of the run";
}

TEST(KinetoFields, WhatHasNoEndThatCanBeIsEmptyAndCounted) {
  for (const char* duration :
       {R"("dur": -2)", R"("dur": 7443372036854776.0)", R"("dur": NaN)", R"("id": 1)"}) {
    const TraceData data =
        read_events(op(std::string(R"("name": "a", "pid": 1, "tid": 1, "ts": 5, )") + duration));
    EXPECT_EQ(data.host_ranges.end.at(0), 5000) << duration;
    EXPECT_THAT(data.health.notes, Contains(HasSubstr("1 event of this file has no end")))
        << duration;
  }
}

// Nothing else of the trace reaches a tenth as far.
TEST(KinetoFields, ALengthOf32BitsThatOverflowedIsNone) {
  const auto rest = op(R"("name": "b", "pid": 1, "tid": 1, "ts": 40000, "dur": 9)");
  const auto with_length = [&rest](const char* us) {
    return read_events(
        op(std::string(R"("name": "a", "pid": 1, "tid": 1, "ts": 5, "dur": )") + us) + "," + rest);
  };
  EXPECT_EQ(with_length("4294967.295").host_ranges.end.at(0), 5000);
  EXPECT_EQ(with_length("4294967295").host_ranges.end.at(0), 5000);
  EXPECT_EQ(with_length("3000000").host_ranges.end.at(0), 3'000'005'000) << "a long one";
}

TEST(KinetoFields, DeviceOpsAtTimeZeroHaveNoTime) {
  const Trace trace = Trace::build(read_events(
      R"({"ph": "X", "cat": "kernel", "name": "lost", "pid": 0, "tid": 7, "ts": 0.000, "dur": 3, "args": {"correlation": 1}},
         {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 2, "dur": 3, "args": {"correlation": 2}})",
      R"("baseTimeNanoseconds": 1790857026000000000)"));
  EXPECT_EQ(trace.health().zero_timestamps, 1U);
  ASSERT_EQ(trace.device_ops().size(), 1U);
  EXPECT_EQ(trace.device_ops().begin[0], 1790857026000002000);
}

TEST(KinetoFields, HugeAndNegativeIds) {
  const TraceData data = read_events(
      op(R"("name": "a", "pid": 9223372036854775807, "tid": -9000000000000000000, "ts": 1,
    "dur": 1, "args": {"Sequence number": 18446744073709551615, "Fwd thread id": -1})") +
      R"(,
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaFree", "pid": 99999999999999999999, "tid": 1, "ts": 1, "dur": 1,
     "args": {"correlation": 4294967295}})");
  EXPECT_THAT(data.host_ranges.sequence, ElementsAre(kNoSequence, kNoSequence));
  EXPECT_EQ(data.threads[0].tid, -9000000000000000000);
  EXPECT_EQ(data.threads.size(), 2U);
  for (const Thread& thread : data.threads) EXPECT_LT(thread.process, data.processes.size());
}

TEST(KinetoFields, SumsOfTimesStayInRange) {
  const TraceData data = read_events(
      op(R"("name": "a", "pid": 1, "tid": -9223372036854775807, "ts": 2999999999999999,
    "dur": 2999999999999999)") +
          "," + op(R"("name": "b", "pid": 1, "tid": 1, "ts": 1, "dur": 3000000000000000)"),
      R"("baseTimeNanoseconds": 2999999999999999999)");
  EXPECT_EQ(data.host_ranges.end.at(0), 8999999999999997999);
  EXPECT_EQ(data.host_ranges.end.at(1), data.host_ranges.begin.at(1));
  EXPECT_EQ(data.health.missing_fields, 0U);
  EXPECT_EQ(read_events("", R"("baseTimeNanoseconds": 3000000000000000000)").health.missing_fields,
            1U);
}

TEST(KinetoFields, TextAsThreadIdNamesTheThread) {
  const TraceData data = read_events(
      op(R"("name": "a", "pid": "Spans", "tid": "PyTorch Profiler", "ts": 1, "dur": 1)") + "," +
      op(R"("name": "b", "pid": "Spans", "tid": "Other", "ts": 1, "dur": 1)"));
  ASSERT_EQ(data.threads.size(), 2U);
  EXPECT_EQ(data.threads[0].name, "PyTorch Profiler");
  EXPECT_EQ(data.threads[1].name, "Other");
}

TEST(KinetoFields, NamesAreDecodedAndValid) {
  const TraceData data =
      read_events(op(R"("name": "a\"\u00e9\n", "pid": 1, "tid": 1, "ts": 1, "dur": 1)") + "," +
                  op("\"name\": \"bad \xFF utf8\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 1"));
  EXPECT_EQ(data.strings.view(data.host_ranges.name[0]), "a\"\xC3\xA9\n");
  EXPECT_EQ(data.strings.view(data.host_ranges.name[1]), "bad \xEF\xBF\xBD utf8");
}

TEST(KinetoFields, OverlapsAreKept) {
  const TraceData data =
      read_events(op(R"("name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 5)") + "," +
                  op(R"("name": "b", "pid": 1, "tid": 1, "ts": 3, "dur": 5)"));
  EXPECT_THAT(data.host_ranges.end, ElementsAre(6000, 8000));
  EXPECT_EQ(
      Trace::build(read_events(op(R"("name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 5)") + "," +
                               op(R"("name": "b", "pid": 1, "tid": 1, "ts": 3, "dur": 5)")))
          .health()
          .crossing_ranges,
      1U);
}

}  // namespace
}  // namespace stepscope
