// SPDX-License-Identifier: Apache-2.0
// Input as commands and positions, over a real trace: what the state is afterwards.
#include "viewer/view/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/core/model/trace_maker.hpp"
#include "tests/viewer/sample_run.hpp"
#include "viewer/view/details.hpp"
#include "viewer/view/measure.hpp"

namespace stepscope::viewer {
namespace {

TEST(Lanes, HoldEveryEventOfTheTrace) {
  const auto& run = sample_run();
  std::uint64_t device = 0;
  std::uint64_t host = 0;
  for (const Lane& lane : build_lanes(run)) {
    if (lane.events == EventKind::device_op) device += lane.event_count();
    if (lane.events == EventKind::host_range) host += lane.event_count();
  }
  EXPECT_EQ(device, run.trace.device_ops().size());
  EXPECT_EQ(host, run.trace.host_ranges().size());
}

TEST(Lanes, TheBandOfOwnersIsTheExactPartition) {
  const auto& run = sample_run();
  const Session session(run);
  for (std::uint32_t row = 0; row < run.steps.list.size(); ++row) {
    const Measurement measured = measure(run, session.lanes(), run.steps.list[row].window);
    EXPECT_EQ(measured.outside_ns, 0);
    for (const PartSum& part : measured.owners)
      EXPECT_EQ(part.ns_total, run.summary.step_parts[row][index_of(part.cause)]);
  }
}

TEST(Lanes, ThePhasesOnScreenSumToTheTableOfPhases) {
  for (const auto& run : {slow_run(), fast_run()}) {
    for (const PhaseRow& row : run->summary.phases) {
      if (row.name == "(no phase)") continue;
      std::int64_t sum = 0;
      for (const PhaseVisit& stay : run->phase_stays) {
        if (phase_path(*run, stay.phase) != row.path) continue;
        for (const std::uint32_t step : run->summary.counted)
          sum += intersect(stay.time, run->steps.list[step].window).length();
      }
      EXPECT_EQ(sum, row.wall_ns_total) << row.path;
    }
  }
}

TEST(Lanes, EveryDeviceOpIsFound) {
  const auto& run = sample_run();
  const auto lanes = build_lanes(run);
  for (DeviceOpId op = 0; op < run.trace.device_ops().size(); ++op) {
    const auto spot = find_spot(run, lanes, {EventKind::device_op, op});
    ASSERT_TRUE(spot);
    EXPECT_EQ(lanes[spot->lane].event(spot->row, spot->index).id, op);
  }
}

TEST(Session, OpensOnTheStepAtTheMedianWithItsLargestOwnerSelected) {
  const auto& run = sample_run();
  Session session(run);
  session.open();
  ASSERT_TRUE(session.step());
  const Step& step = run.steps.list[*session.step()];
  for (const std::uint32_t row : run.summary.counted) {
    EXPECT_LE(std::abs(step.wall_ns() - run.summary.partition.p50_ns),
              std::abs(run.steps.list[row].wall_ns() - run.summary.partition.p50_ns));
  }
  const auto event = session.selected_event();
  ASSERT_TRUE(event && event->kind == EventKind::segment);
  const auto& parts = run.summary.step_parts[*session.step()];
  const Cause cause = run.attribution.process.segments[event->id].cause;
  EXPECT_EQ(parts[index_of(cause)], *std::max_element(parts.begin(), parts.end()));
  EXPECT_THAT(session.sentence(), testing::HasSubstr(std::string(name_of(cause))));
  EXPECT_LE(session.viewport().span().begin, step.window.begin);
  EXPECT_GE(session.viewport().span().end, step.window.end);
}

// Ten steps in which thread 1 works; thread 2 works before them only. Each is three ranges deep.
Run run_with_a_thread_that_warms_up() {
  constexpr std::int64_t kStep = 10'000'000;
  TraceMaker make;
  const auto three_deep = [&](std::int64_t thread, std::int64_t begin) {
    for (std::int64_t depth = 0; depth < 3; ++depth)
      make.range(HostKind::nvtx_range, "work", thread, begin + depth, begin + kStep / 2 - depth);
  };
  three_deep(2, 0);
  for (std::int64_t step = 1; step <= 10; ++step) {
    make.range(HostKind::nvtx_range, "train step", 1, step * kStep, (step + 1) * kStep);
    three_deep(1, step * kStep + 1'000);
  }
  auto run = analyse(make.build(), {.step_marker = "train step"});
  if (!run) throw std::runtime_error(run.error().message);
  return std::move(*run);
}

TEST(Session, OpensWithTallLanesFoldedThatHaveNothingInItsStep) {
  const auto run = run_with_a_thread_that_warms_up();
  Session session(run);
  session.open();
  ASSERT_TRUE(session.step());
  std::vector<bool> folded;
  for (std::size_t i = 0; i < session.lanes().size(); ++i) {
    if (session.lanes()[i].kind == LaneKind::annotations) folded.push_back(session.collapsed[i]);
  }
  EXPECT_EQ(folded, (std::vector<bool>{false, true}));
}

// Three steps of process 100, and three loader's workers: one makes its batch in the second step,
// which stands for the run, the others in the first.
viewer::Run run_with_workers(bool they_drive_a_device = false) {
  TraceMaker make;
  for (std::int64_t step = 0; step < 3; ++step)
    make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(step), 1,
               1'000 + 1'000'000 * step, 1'000'000 + 1'000'000 * step);
  for (std::int64_t worker = 0; worker < 3; ++worker) {
    const auto process = static_cast<ProcessId>(make.data.processes.size());
    make.data.processes.push_back({.pid = 200 + worker});
    if (they_drive_a_device) make.stream(7, 0, process);
    make.data.threads.push_back({0, 200 + worker, "DataLoader worker"});
    make.data.samples.time.push_back(1'000);
    make.data.samples.thread.push_back(static_cast<ThreadId>(make.data.threads.size() - 1));
    make.data.samples.site.push_back(kNone);
    make.data.samples.called.push_back(0);
    make.data.samples.innermost.push_back(0);
    make.data.samples.cpu.push_back(0);
    make.data.samples.flags.push_back(kSampleWorker);
    make.data.samples.asleep_in.emplace_back();
    make.thread(200 + worker, "pt_data_worker", process);
    const std::int64_t begin = worker == 0 ? 1'200'000 : 200'000;
    for (int op = 0; op < 2; ++op)  // one inside the other
      make.range(HostKind::op, "aten::stack", 200 + worker, begin + op, begin + 100'000 - op);
    make.data.host_ranges.thread.end()[-1] = make.data.host_ranges.thread.end()[-2] =
        make.thread(200 + worker, "", process);
  }
  auto run = analyse(make.build(), {.find = false});
  if (!run) throw std::runtime_error(run.error().message);
  return std::move(*run);
}

TEST(Session, WorkersHaveALaneEachUnderOneHeadingAndThoseThatRestShareOne) {
  const auto run = run_with_workers();
  Session session(run);
  session.open();
  ASSERT_EQ(run.steps.list[*session.step()].id, 1);
  const auto lines_of_workers = [&] {
    std::vector<std::vector<std::string>> out;
    for (const std::vector<std::uint32_t>& line : session.shown_lines()) {
      if (session.lanes()[line.front()].group != "DataLoader workers") continue;
      out.emplace_back();
      for (const std::uint32_t lane : line) out.back().push_back(session.lanes()[lane].title);
    }
    return out;
  };
  using Lines = std::vector<std::vector<std::string>>;
  EXPECT_EQ(lines_of_workers(),
            (Lines{{"pt_data_worker 200"}, {"pt_data_worker 201", "pt_data_worker 202"}}));
  std::size_t lanes = 0;
  for (const auto& line : session.shown_lines()) lanes += line.size();
  EXPECT_EQ(lanes, session.lanes().size());
  // What is selected has its own line again.
  for (std::uint32_t i = 0; i < session.lanes().size(); ++i) {
    if (session.lanes()[i].title == "pt_data_worker 202") session.select({i, 0, 0});
  }
  EXPECT_EQ(lines_of_workers(),
            (Lines{{"pt_data_worker 200"}, {"pt_data_worker 202"}, {"pt_data_worker 201"}}));
}

TEST(Lanes, AProcessThatDrivesADeviceIsNoWorker) {
  std::size_t workers = 0;
  for (const Lane& lane : build_lanes(run_with_workers(true))) workers += lane.is_aside ? 1U : 0U;
  EXPECT_EQ(workers, 0U);
  for (const Lane& lane : build_lanes(run_with_workers())) workers += lane.is_aside ? 1U : 0U;
  EXPECT_EQ(workers, 3U);
}

TEST(Lanes, WithoutAGpuNoneIsAboutCudaCalls) {
  for (const Lane& lane : build_lanes(run_with_workers()))
    EXPECT_EQ(lane.title.find("CUDA"), std::string::npos) << lane.title;
  bool both = false;
  for (const Lane& lane : build_lanes(sample_run())) both |= lane.title == "ops and CUDA calls";
  EXPECT_TRUE(both);
}

TEST(Session, TheWheelKeepsTheTimeUnderTheCursor) {
  Session session(sample_run());
  const std::int64_t about = session.viewport().time_at(300, 1'000);
  for (int i = 0; i < 10; ++i) session.wheel(about, 0.8);
  EXPECT_NEAR(session.viewport().x_of(about, 1'000), 300, 0.01);
  const Interval close = session.viewport().span();
  for (int i = 0; i < 400; ++i) session.wheel(about, 0.5);
  EXPECT_EQ(session.viewport().span().length(), kLeastSpan);
  session.apply(Command::undo);  // one gesture, one step back
  EXPECT_NE(session.viewport().span(), close);
  EXPECT_GT(session.viewport().span().length(), close.length());
}

TEST(Session, KeysMoveAndUndoComesBack) {
  Session session(sample_run());
  session.open();
  const Interval start = session.viewport().span();
  session.apply(*command_of('w'));
  EXPECT_LT(session.viewport().span().length(), start.length());
  session.apply(*command_of('d'));
  session.apply(*command_of('a'));
  session.apply(*command_of('s'));
  session.apply(*command_named("Home"));
  EXPECT_LE(session.viewport().span().begin, sample_run().trace.begin());
  EXPECT_GE(session.viewport().span().end, sample_run().trace.end());
  for (int i = 0; i < 5; ++i) session.apply(*command_named("Backspace"));
  EXPECT_EQ(session.viewport().span(), start);
}

TEST(Session, StepsAndEventsFollowEachOther) {
  Session session(sample_run());
  session.open();
  const std::uint32_t step = *session.step();
  session.apply(*command_of('j'));
  EXPECT_EQ(*session.step(), step + 1);
  session.apply(*command_of('k'));
  EXPECT_EQ(*session.step(), step);
  ASSERT_TRUE(session.select({EventKind::device_op, 10}));
  const Spot spot = *session.selected();
  session.apply(*command_of('.'));
  EXPECT_EQ(session.selected()->index, spot.index + 1);
  session.apply(*command_of(','));
  EXPECT_EQ(*session.selected(), spot);
  session.apply(*command_of('f'));
  session.apply(*command_of('f'));
  const Interval time = time_of(sample_run(), {EventKind::device_op, 10});
  EXPECT_LE(session.viewport().span().begin, time.begin);
  EXPECT_LE(session.viewport().span().length(), std::max(2 * time.length(), kLeastSpan));
}

TEST(Session, SearchLightsWhatMatchesAndFindsTheNext) {
  const auto& run = sample_run();
  Session session(run);
  session.search("GEMM");
  ASSERT_GT(session.matches(), 1U);
  session.apply(*command_of('n'));
  const EventRef first = *session.selected_event();
  EXPECT_TRUE(session.is_lit(first));
  session.apply(*command_of('n'));
  EXPECT_NE(*session.selected_event(), first);
  session.search("no such name");
  EXPECT_EQ(session.matches(), 0U);
  EXPECT_FALSE(session.is_lit(first));
  session.apply(*command_named("Esc"));
  EXPECT_TRUE(session.is_lit(first));
  EXPECT_FALSE(session.selected());
}

TEST(Session, RangesSnapToEdges) {
  const auto& run = sample_run();
  Session session(run);
  ASSERT_TRUE(session.select({EventKind::device_op, 5}));
  const Interval time = time_of(run, {EventKind::device_op, 5});
  const std::uint32_t lane = session.selected()->lane;
  EXPECT_EQ(session.snap(lane, time.begin + 1, 3), time.begin);
  session.apply(*command_of('r'));
  EXPECT_EQ(*session.measured(), time);
  session.apply(*command_of('z'));
  EXPECT_GE(session.viewport().span().length(), time.length());
}

TEST(Session, EachKeyIsBoundOnce) {
  std::set<std::string> keys;
  for (const KeyBinding& binding : key_bindings()) {
    EXPECT_TRUE(keys.insert(binding.text()).second) << binding.text();
  }
}

TEST(Measure, CountsAndSumsARangeOfALane) {
  const auto& run = sample_run();
  const Session session(run);
  const Interval range = run.steps.list[*typical_step(run.summary)].window;
  for (const LaneMeasure& lane : measure(run, session.lanes(), range).lanes) {
    if (session.lanes()[lane.lane].kind != LaneKind::kernels) continue;
    std::uint64_t count = 0;
    std::int64_t sum = 0;
    const Row& row = session.lanes()[lane.lane].rows.front();
    for (std::uint32_t i = 0; i < row.size(); ++i) {
      const std::int64_t inside = intersect(row.time(i), range).length();
      count += inside > 0 ? 1 : 0;
      sum += inside;
    }
    EXPECT_EQ(lane.lengths.count, count);
    EXPECT_EQ(lane.sum_ns, sum);
    EXPECT_LE(lane.busy_ns, range.length());
    EXPECT_LE(lane.lengths.min_ns, lane.lengths.p50_ns);
    EXPECT_LE(lane.lengths.p50_ns, lane.lengths.p99_ns);
    EXPECT_LE(lane.lengths.p99_ns, lane.lengths.max_ns);
    return;
  }
  FAIL() << "no lane of kernels";
}

TEST(Details, OfAKernelLeadToItsLaunchAndBack) {
  const auto& run = sample_run();
  for (DeviceOpId op = 0; op < run.trace.device_ops().size(); ++op) {
    const EventRef event{EventKind::device_op, op};
    const auto launch = linked_to(run, event);
    if (launch.empty()) continue;
    EXPECT_THAT(linked_to(run, launch.front()), testing::Contains(event));
    std::set<std::string> said;
    for (const Detail& detail : details_of(run, event)) said.insert(detail.what);
    EXPECT_THAT(said, testing::IsSupersetOf({"Duration", "Class", "Phase", "Launched by"}));
    return;
  }
  FAIL() << "no kernel with its launch";
}

}  // namespace
}  // namespace stepscope::viewer
