// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/core/attribution/random_attribution.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

// One step a window of 100 us; the device works, waits and is launched as the test says.
struct Simple {
  TraceMaker make;
  Steps steps;
  Attribution attribution;

  Simple() {
    attribution.phases = {{"(no phase)", 0}};
    steps.found_by = FoundBy::profiler_step;
  }

  void step(std::int64_t length, bool steady = true) {
    const std::int64_t begin = steps.list.empty() ? 1'000 : steps.list.back().window.end;
    Step s;
    s.id = static_cast<std::int64_t>(steps.list.size());
    s.window = {begin, begin + length};
    s.host = s.window;
    s.steady = steady;
    if (!steady) s.why_not_steady = "warm-up";
    steps.list.push_back(s);
  }

  // Owned time in the last step; device causes are busy time.
  void own(Cause cause, std::int64_t ns, PhaseId phase = 0, SiteId site = kNone) {
    const Interval window = steps.list.back().window;
    Partition& p = attribution.process;
    const std::int64_t begin =
        p.segments.empty() ? window.begin : std::max(window.begin, p.segments.back().time.end);
    const Interval time{begin, begin + ns};
    p.segments.push_back({time, cause, phase, site, 0, kNone});
    p.cells.push_back({static_cast<std::uint32_t>(steps.list.size() - 1), cause, phase, site, ns});
    if (is_device_busy(cause))
      p.busy = unite([&] {
        auto b = p.busy;
        b.push_back(time);
        return b;
      }());
  }

  Summary sum(SummaryOptions options = {}) {
    make.thread(1);
    trace = make.build();
    return summarize(*trace, steps, attribution, options);
  }

  std::optional<Trace> trace;
};

Simple loop_with(std::int64_t busy, std::int64_t wait) {
  Simple s;
  for (int i = 0; i < 3; ++i) {
    s.step(busy + wait);
    s.own(Cause::gpu_gemm, busy);
    s.own(Cause::host_python, wait);
  }
  return s;
}

TEST(Summary, CountsSteadyStepsOnly) {
  Simple s;
  s.step(500, false);
  s.own(Cause::host_module_load, 500);
  for (const std::int64_t length : {100, 120}) {
    s.step(length);
    s.own(Cause::gpu_gemm, length);
  }
  const Summary sum = s.sum();
  EXPECT_EQ(sum.partition.steps_counted, 2U);
  EXPECT_EQ(sum.partition.wall_ns_total, 220);
  EXPECT_EQ(sum.partition.p50_ns, 110);
  ASSERT_EQ(sum.partition.parts.size(), 1U);
  EXPECT_EQ(sum.partition.parts[0].ns_total, 220);
  EXPECT_EQ(sum.step_parts[0][index_of(Cause::host_module_load)], 500);
  EXPECT_EQ(sum.counting, "");
}

TEST(Summary, GraphWorkWithoutItsCaptureIsSaidWithItsShare) {
  Simple s;
  s.step(100);
  s.attribution.graphs = {.ops = 200, .ops_without_capture = 0};
  EXPECT_THAT(s.sum().trust.notes, testing::Not(testing::Contains(HasSubstr("CUDA graphs"))));
  Simple without;
  without.step(100);
  without.attribution.graphs = {.ops = 200, .ops_without_capture = 3};
  EXPECT_THAT(without.sum().trust.notes,
              testing::Contains(HasSubstr("3 of 200 device ops of CUDA graphs (1.5 %)")));
}

// The last launch may still have been running when the record ended.
TEST(Summary, GraphLaunchesWithoutDeviceRecordsAreSaid) {
  Simple s;
  s.step(100);
  for (std::uint32_t i = 1; i <= 4; ++i)
    s.make.call("cudaGraphLaunch", 1, i * 1000, i * 1000 + 10, i);
  s.make.kernel("k", 7, 1100, 1200, 1);
  s.make.kernel("k", 7, 3100, 3200, 3);
  s.attribution.ops.resize(2);
  EXPECT_THAT(s.sum().trust.notes,
              testing::Contains(HasSubstr("1 of 3 launches of CUDA graphs left no device record")));
}

// A loop that sends: calls of communicator 7, one group over both, and kernels of two steps, the
// first of them not counted.
struct Sending : Simple {
  void call(const char* name, std::uint64_t communicator, std::uint64_t bytes,
            ReduceOperation reduce) {
    Collectives& c = make.data.collectives;
    c.range.push_back(make.range(HostKind::nvtx_range, name, 1, at, at + 1));
    at += 10;
    c.communicator.push_back(communicator);
    c.bytes.push_back(bytes);
    c.reduce.push_back(reduce);
    c.peer.push_back(kNone);
  }
  void kernel(std::int64_t begin, std::int64_t end, std::uint32_t transfer) {
    make.kernel("ncclDevKernel", 7, begin, end, 0);
    attribution.ops.push_back({Cause::comm_transfer, 0, transfer});
  }
  std::int64_t at = 0;
};

TEST(Summary, SumsWhatIsSentByOperationAndCommunicator) {
  Sending s;
  s.step(100, false);
  s.step(100);
  s.step(100);
  s.call("ncclAllReduce", 7, 1000, ReduceOperation::sum);
  s.call("ncclAllReduce", 7, 3000, ReduceOperation::sum);
  s.call("ncclSend", 7, 50, ReduceOperation::none);
  s.call("ncclRecv", 8, kUnknownBytes, ReduceOperation::none);
  s.attribution.transfers = {{{0}}, {{0}}, {{1}}, {{2, 3}}};
  s.kernel(1'010, 1'020, 0);  // in the step that is not counted
  s.kernel(1'110, 1'130, 1);
  s.kernel(1'140, 1'150, 1);  // a call of two kernels sends its bytes once
  s.kernel(1'210, 1'220, 2);
  s.kernel(1'230, 1'235, 3);
  const std::vector<TransferRow> rows = s.sum().transfers;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].operation, "AllReduce");
  EXPECT_EQ(rows[0].communicator, 7U);
  EXPECT_EQ(rows[0].reduce, "sum");
  EXPECT_EQ(rows[0].calls_total, 2U);
  EXPECT_EQ(rows[0].bytes_total, 4000U);
  EXPECT_EQ(rows[0].ns_total, 40);
  EXPECT_DOUBLE_EQ(rows[0].bytes_per_second(), 100e9);
  EXPECT_EQ(rows[1].operation, "Recv+Send");
  EXPECT_EQ(rows[1].communicator, 0U);
  EXPECT_EQ(rows[1].reduce, "");
  EXPECT_EQ(rows[1].calls_total, 2U);
  EXPECT_EQ(rows[1].bytes_total, 50U);
}

TEST(Summary, OneSteadyStepIsCountedAndSaid) {
  Simple s;
  s.step(500, false);
  s.step(100);
  const Summary sum = s.sum();
  EXPECT_EQ(sum.counted, std::vector<std::uint32_t>{1});
  EXPECT_THAT(sum.counting, HasSubstr("only one steady step"));
}

TEST(Summary, WithoutASteadyStepWarmUpIsCountedAndSaid) {
  Simple s;
  s.step(500, false);
  s.step(100, false);
  s.steps.list.back().wall_known = false;
  const Summary sum = s.sum();
  EXPECT_EQ(sum.partition.wall_ns_total, 500);
  EXPECT_THAT(sum.counting, HasSubstr("no steady step"));
}

TEST(Summary, WithoutAnyCompleteStepTheTimesAreLowerBounds) {
  Simple s;
  s.step(500, false);
  s.steps.list.back().wall_known = false;
  EXPECT_THAT(s.sum().counting, HasSubstr("lower bounds"));
}

TEST(Summary, BoundIsReadOffTheTimeInWhichTheDeviceHadNoWork) {
  EXPECT_EQ(loop_with(95, 5).sum().partition.bound, Bound::device);
  EXPECT_EQ(loop_with(70, 30).sum().partition.bound, Bound::mixed);
  EXPECT_EQ(loop_with(30, 70).sum().partition.bound, Bound::host);
  EXPECT_THAT(loop_with(95, 5).sum().partition.why_bound, HasSubstr("save at most 5.0 %"));
}

TEST(Summary, IdleWithWorkAlreadyIssuedIsNotTheHosts) {
  Simple s;
  s.step(100);
  s.own(Cause::gpu_gemm, 50);
  s.own(Cause::graph_gap, 48);
  s.own(Cause::host_python, 2);
  EXPECT_EQ(s.sum().partition.host_wait_ns_total, 2);
}

TEST(Summary, AnInflatedTraceWhoseDeviceHardlyIdlesIsDeviceBoundWhateverThePlainStep) {
  Simple s = loop_with(95'000'000, 5'000'000);
  s.attribution.inflated = true;
  const Summary sum = s.sum();
  EXPECT_EQ(sum.partition.bound, Bound::device);
  EXPECT_THAT(sum.partition.why_bound, HasSubstr("even with its profiler"));
}

TEST(Summary, AnInflatedTraceGivesTheFloorAndNoVerdict) {
  Simple s = loop_with(35'600'000, 22'900'000);
  s.attribution.inflated = true;
  const Summary sum = s.sum();
  EXPECT_EQ(sum.partition.bound, Bound::not_judged);
  EXPECT_THAT(sum.partition.why_bound, HasSubstr("between 35.6 ms (device work) and 58.5 ms"));
  EXPECT_THAT(sum.partition.why_bound, HasSubstr("at least 61 %"));
  EXPECT_FALSE(sum.partition.corrected_step_ns);
}

TEST(Summary, ThePlainStepTimeCorrectsTheVerdict) {
  Simple s = loop_with(35'600'000, 22'900'000);
  s.attribution.inflated = true;
  const Summary sum = s.sum({.plain_step_ns = 38'200'000});
  EXPECT_EQ(sum.partition.bound, Bound::device);
  EXPECT_THAT(sum.partition.why_bound, HasSubstr("save at most 6.8 %"));
  EXPECT_EQ(sum.partition.corrected_step_ns, 38'200'000);
  EXPECT_NEAR(sum.trust.overhead_ns_per_step.value(), 20'300'000, 1);
}

TEST(Summary, APlainStepTimeThatTheTraceForbidsIsRefused) {
  for (const std::int64_t plain : {30'000'000, 60'000'000}) {
    Simple s = loop_with(35'600'000, 22'900'000);
    s.attribution.inflated = true;
    const Summary sum = s.sum({.plain_step_ns = plain});
    EXPECT_EQ(sum.partition.bound, Bound::not_judged);
    EXPECT_THAT(sum.partition.why_bound, HasSubstr("outside what this trace allows"));
    EXPECT_FALSE(sum.partition.corrected_step_ns);
  }
}

TEST(Summary, WithoutDeviceWorkNobodyIsBlamed) {
  Simple s;
  s.step(100);
  s.own(Cause::host_compute_gemm, 100);
  const Summary sum = s.sum();
  EXPECT_EQ(sum.partition.bound, Bound::not_judged);
  EXPECT_THAT(sum.partition.why_bound, HasSubstr("CPU ops compute 100 %"));
  EXPECT_TRUE(sum.trust.notes.empty());
}

TEST(Summary, LaunchesWithoutDeviceRecordsAreNamed) {
  Simple s;
  s.step(100);
  s.make.call("cudaLaunchKernel", 1, 1'000, 1'010, 1);
  EXPECT_THAT(s.sum().trust.notes, testing::Contains(HasSubstr("no device activity was recorded")));
}

const PhaseRow& row(const Summary& sum, std::string_view path) {
  for (const PhaseRow& r : sum.phases) {
    if (r.path == path) return r;
  }
  throw std::runtime_error("no phase " + std::string(path));
}

TEST(Summary, AnOuterPhaseHoldsItsInnerOnes) {
  Simple s;
  s.attribution.phases = {{"(no phase)", 0}, {"forward", 0}, {"topk", 1}};
  s.step(100);
  s.own(Cause::gpu_gemm, 30, 1);
  s.own(Cause::gpu_select, 50, 2);
  s.own(Cause::host_python, 20, 0);
  const Summary sum = s.sum();
  EXPECT_EQ(row(sum, "forward").wall_ns_total, 80);
  EXPECT_EQ(row(sum, "forward/topk").wall_ns_total, 50);
  EXPECT_EQ(row(sum, "forward/topk").parent, "forward");
  EXPECT_EQ(row(sum, "forward/topk").depth, 1U);
  EXPECT_EQ(row(sum, "(no phase)").wall_ns_total, 20);
  EXPECT_EQ(row(sum, "(no phase)").exposed_ns_total, 20);
  EXPECT_EQ(row(sum, "forward").exposed_ns_total, 0);
}

TEST(Summary, APhaseThatRunsNowAndThenIsAmortised) {
  Simple s;
  s.attribution.phases = {{"(no phase)", 0}, {"eval", 0}};
  for (int i = 0; i < 10; ++i) {
    s.step(100);
    s.own(Cause::gpu_gemm, 100, i == 4 ? 1 : 0);
  }
  const std::int64_t begin = s.steps.list[4].host.begin;
  s.attribution.visits = {{1, {begin, begin + 50}}};
  const Summary sum = s.sum();
  EXPECT_EQ(row(sum, "eval").steps_in, 1U);
  EXPECT_EQ(row(sum, "eval").every_steps, 10);
  EXPECT_EQ(row(sum, "eval").calls_total, 1U);
}

TEST(Summary, AVisitBelongsToTheStepOfTheHostNotOfTheWindow) {
  Simple s;
  s.attribution.phases = {{"(no phase)", 0}, {"loss", 0}};
  s.step(100, false);
  s.step(100);
  s.steps.list[0].host = {1'000, 1'010};  // the host is done early and runs ahead
  s.steps.list[1].host = {1'010, 1'020};
  s.attribution.visits = {{1, {1'005, 1'006}}, {1, {1'015, 1'016}}};
  s.own(Cause::gpu_gemm, 100, 1);
  EXPECT_EQ(row(s.sum(), "loss").calls_total, 1U);
}

TEST(Summary, DeviceTimeOfAPhaseCountsOverlapsOnceAndHiddenOpsToo) {
  Simple s;
  s.attribution.phases = {{"(no phase)", 0}, {"topk", 0}, {"comm", 0}};
  s.step(100);
  s.own(Cause::gpu_gemm, 100, 1);
  s.make.kernel("a", 7, 1'000, 1'060, 0);
  s.make.kernel("b", 8, 1'040, 1'100, 0);
  s.make.copy(CopyKind::peer, MemoryKind::device, MemoryKind::device, 9, 1'050, 1'070, 0, 4096);
  s.attribution.ops = {{Cause::gpu_gemm, 1}, {Cause::gpu_gemm, 1}, {Cause::copy_d2d, 2}};
  const Summary sum = s.sum();
  EXPECT_EQ(row(sum, "topk").gpu_busy_ns_total, 100);
  EXPECT_EQ(row(sum, "comm").gpu_busy_ns_total, 20);
  EXPECT_EQ(row(sum, "comm").bytes_total, 4096U);
  EXPECT_EQ(row(sum, "comm").wall_ns_total, 0);
  ASSERT_EQ(sum.kernels.size(), 3U);
  EXPECT_EQ(sum.kernels[0].ns_total, 60);
  EXPECT_EQ(sum.kernels[2].name, "Memcpy");
}

TEST(Summary, TheRateOfCopiesLeavesOutThoseThatDoNotSayTheirBytes) {
  Simple s;
  s.step(1'000);
  s.own(Cause::copy_d2d, 1'000);
  for (const std::uint64_t bytes : {std::uint64_t{4'000}, std::uint64_t{2'000}, kUnknownBytes})
    s.make.copy(CopyKind::device_to_device, MemoryKind::device, MemoryKind::device, 7, 1'000, 1'100,
                0, bytes);
  s.make.kernel("k", 8, 1'000, 1'040, 0);
  s.attribution.ops.assign(4, {Cause::copy_d2d, 0});
  s.attribution.ops[0] = {Cause::gpu_other, 0};  // the kernel ends first
  const Summary sum = s.sum();
  ASSERT_EQ(sum.kernels.size(), 2U);
  EXPECT_EQ(sum.kernels[0].ns_total, 300);
  EXPECT_EQ(sum.kernels[0].bytes_total, 6'000U);
  EXPECT_NEAR(sum.kernels[0].bytes_per_second.value_or(0), 6'000 / 200e-9, 1);
  EXPECT_FALSE(sum.kernels[1].bytes_per_second);
}

TEST(Summary, LinesCountTheEventsThatOwnTimeAndNameTheLongest) {
  Simple s;
  const SiteId site = s.make.site("train.py", 12);
  s.step(100);
  s.own(Cause::host_sync_return, 10, 0, site);
  s.attribution.process.segments.back().host_evidence = 5;
  s.own(Cause::gpu_gemm, 60);
  s.own(Cause::host_sync_return, 20, 0, site);
  s.attribution.process.segments.back().host_evidence = 9;
  s.own(Cause::host_sync_return, 10, 0, site);
  s.attribution.process.segments.back().host_evidence = 9;
  const Summary sum = s.sum();
  ASSERT_EQ(sum.lines.size(), 1U);
  EXPECT_EQ(sum.lines[0].ns_total, 40);
  EXPECT_EQ(sum.lines[0].calls_total, 2U);
  EXPECT_EQ(sum.lines[0].evidence, (std::vector<std::string>{"h9", "h5"}));
}

TEST(Summary, ASegmentAcrossStepEndsCountsWhereItIsCounted) {
  Simple s;
  const SiteId site = s.make.site("train.py", 12);
  s.step(100, false);
  s.own(Cause::host_python, 60);
  s.own(Cause::profiler, 40, 0, site);
  s.step(100);
  s.own(Cause::profiler, 100, 0, site);
  std::vector<Segment>& segments = s.attribution.process.segments;
  segments[1].time.end = segments[2].time.end;
  segments[1].host_evidence = kNone;  // and nothing shows it
  segments.pop_back();
  const Summary sum = s.sum();
  ASSERT_EQ(sum.lines.size(), 1U);
  EXPECT_EQ(sum.lines[0].ns_total, 100);
  EXPECT_EQ(sum.lines[0].calls_total, 0U);
  EXPECT_TRUE(sum.lines[0].evidence.empty());
}

TEST(Summary, TrustNamesWhatIsMissingAndWhatBroke) {
  Simple s = loop_with(70, 30);
  s.attribution.process.cells[0].ns += 1;
  s.make.data.health.dropped_records = 3;
  s.make.data.health.sites_wanted = 10;
  s.make.data.health.sites_found = 9;
  s.make.data.health.lost_chunks = 2;
  const Summary sum = s.sum();
  EXPECT_EQ(sum.trust.dropped, 3U);
  EXPECT_EQ(sum.trust.link_rate, 0.9);
  ASSERT_EQ(sum.trust.broken_invariants.size(), 2U);
  EXPECT_THAT(sum.trust.broken_invariants[0], HasSubstr("parts sum to 301 ns"));
  EXPECT_THAT(sum.trust.broken_invariants[1], HasSubstr("device's parts sum to 211 ns"));
  EXPECT_THAT(sum.trust.notes, testing::Contains(HasSubstr("2 chunks")));
  EXPECT_EQ(sum.trust.abstained[0].id, "host.gc");
}

TEST(Summary, TheRecordersOwnThreadsAreAskedOfAllProcesses) {
  Simple s = loop_with(70, 30);
  s.make.range(HostKind::op, "a", 1, 1'000, 1'100);
  s.make.range(HostKind::op, "b", 1, 1'100, 1'200);
  s.make.data.processes.push_back(s.make.data.processes[0]);
  for (Process& process : s.make.data.processes)
    process.facts = {{"writer.cpu_ns", "30"}, {"writer.decode_ns", "10"}};
  const Summary sum = s.sum();
  ASSERT_TRUE(sum.trust.recorder);
  EXPECT_DOUBLE_EQ(sum.trust.recorder->core_share, 60.0 / 200);
  EXPECT_DOUBLE_EQ(sum.trust.recorder->ns_per_event, 30);
  EXPECT_DOUBLE_EQ(sum.trust.recorder->decode_ns_per_event, 10);
  EXPECT_FALSE(loop_with(70, 30).sum().trust.recorder);
}

std::int64_t sum_of(const std::vector<PartSum>& parts) {
  std::int64_t sum = 0;
  for (const PartSum& part : parts) sum += part.ns_total;
  return sum;
}

void expect_sums_agree(const Summary& sum) {
  const PartitionSummary& p = sum.partition;
  EXPECT_TRUE(sum.trust.broken_invariants.empty());
  EXPECT_EQ(sum_of(p.parts), p.wall_ns_total);
  PerCause<std::int64_t> by_step{};
  for (const std::uint32_t step : sum.counted) {
    for (std::size_t c = 0; c < kCauseCount; ++c) by_step[c] += sum.step_parts[step][c];
  }
  std::map<Cause, std::int64_t> by_cell;
  std::map<std::string, std::int64_t> by_phase;
  std::int64_t with_line = 0;
  for (const CellRow& cell : sum.cells) {
    if (cell.device) continue;
    by_cell[cell.cause] += cell.ns_total;
    by_phase[cell.phase_path.substr(0, cell.phase_path.find('/'))] += cell.ns_total;
    with_line += cell.file.empty() ? 0 : cell.ns_total;
  }
  for (const PartSum& part : p.parts) {
    EXPECT_EQ(by_cell[part.cause], part.ns_total);
    EXPECT_EQ(by_step[index_of(part.cause)], part.ns_total);
  }
  std::int64_t phases = 0;
  for (const PhaseRow& r : sum.phases) {
    if (r.depth == 0) {
      phases += r.wall_ns_total;
      EXPECT_EQ(r.wall_ns_total, by_phase[r.path]);
    }
    EXPECT_LE(r.gpu_busy_ns_total, p.device_busy_ns_total);
    EXPECT_LE(r.exposed_ns_total, r.wall_ns_total);
  }
  EXPECT_EQ(phases, p.wall_ns_total);
  std::int64_t lines = 0;
  for (const LineRow& line : sum.lines) lines += line.ns_total;
  EXPECT_EQ(lines, with_line);
}

TEST(Summary, SumsAgreeForAnySoundAttribution) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const RandomCase c = RandomAttribution(seed).make();
    const Summary sum = summarize(c.trace, c.steps, c.attribution);
    expect_sums_agree(sum);
    for (const PartitionSummary& device : sum.devices)
      EXPECT_EQ(sum_of(device.parts), device.wall_ns_total);
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace stepscope
