// SPDX-License-Identifier: Apache-2.0
// A window shows a trace before it is analysed: what it shows then, and what becomes of it.
#include "viewer/app/analysis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <new>
#include <utility>

#include "tests/viewer/sample_run.hpp"
#include "viewer/view/tables/table.hpp"

namespace stepscope::viewer {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::shared_ptr<const Run> glance_at(const Run& run, const RunOptions& options = {}) {
  return std::make_shared<const Run>(glance(run.trace, options));
}

// Waits for what is ready as a window does between its frames.
class Frames {
 public:
  std::function<void()> wake() {
    return [this] {
      const std::scoped_lock lock(mutex_);
      ++woken_;
      changed_.notify_all();
    };
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return woken_ > seen_; });
    ++seen_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int woken_ = 0;
  int seen_ = 0;
};

Result<Done> analyse_in_window(Desk& desk, const Desk::Runs& runs) {
  Frames frames;
  Analysis analysis(runs, {.desk = {}, .state_folder = "", .wake = frames.wake()});
  while (!analysis.is_done()) {
    frames.wait();
    const auto taken = analysis.take(desk);
    if (!taken) return taken.error();
  }
  return Done{};
}

std::vector<std::string> texts(const Desk& desk) {
  std::vector<std::string> out;
  for (const Table& table : tables_of(desk)) out.push_back(as_text(table));
  return out;
}

TEST(Glance, ShowsEveryEventThatWasRecordedAndClaimsNothing) {
  const auto run = glance_at(*fast_run());
  Desk desk({run});
  desk.open();
  EXPECT_THAT(desk.sentence(), HasSubstr("follow"));
  EXPECT_THAT(tables_of(desk), IsEmpty());
  std::uint64_t shown = 0;
  for (const Lane& lane : desk.side(0).lanes()) {
    EXPECT_NE(lane.group, "Run") << "steps, owners, gaps and phases are not known yet";
    shown += lane.event_count();
  }
  const Trace& trace = run->trace;
  EXPECT_EQ(shown, trace.device_ops().size() + trace.host_ranges().size());
}

TEST(Glance, DeviceWorkHasTheClassThatItsNameTells) {
  const std::vector<Cause> seen = glance_at(*fast_run())->op_classes;
  const std::vector<Cause>& known = fast_run()->op_classes;
  ASSERT_EQ(seen.size(), known.size());
  std::size_t alike = 0;
  for (std::size_t op = 0; op < known.size(); ++op) {
    if (seen[op] == known[op]) {
      ++alike;
    } else {
      EXPECT_EQ(known[op], Cause::gpu_optimizer) << "a name tells all else";
    }
  }
  EXPECT_GT(alike, 0U);
}

TEST(Analysis, LeavesADeskThatSaysWhatOneOfAnalysedRunsSays) {
  const Desk::Runs glances = {glance_at(*fast_run())};
  Desk desk(glances);
  desk.open();
  const auto done = analyse_in_window(desk, glances);
  ASSERT_TRUE(done.ok()) << done.error().message;
  Desk expected({std::make_shared<const viewer::Run>(*analyse(fast_run()->trace))});
  expected.open();
  EXPECT_EQ(desk.sentence(), expected.sentence());
  EXPECT_EQ(desk.side(0).viewport().span(), expected.side(0).viewport().span());
  EXPECT_EQ(texts(desk), texts(expected));
  EXPECT_THAT(desk.pending, IsEmpty());
}

TEST(Analysis, OfTwoRunsGivesTheirDifference) {
  const Desk::Runs glances = {glance_at(*slow_run()), glance_at(*fast_run())};
  Desk desk(glances);
  EXPECT_EQ(desk.comparison(), nullptr);
  ASSERT_TRUE(analyse_in_window(desk, glances).ok());
  ASSERT_NE(desk.comparison(), nullptr);
  EXPECT_TRUE(desk.comparison()->shown());
}

TEST(Analysis, TheUserStaysWhereTheyWentMeanwhile) {
  const Desk::Runs glances = {glance_at(*fast_run())};
  Desk desk(glances);
  desk.open();
  Session& before = desk.active();
  const EventRef kernel{EventKind::device_op, 5};
  ASSERT_TRUE(before.select(kernel));
  desk.apply(Command::zoom_in);
  desk.apply(Command::mark);
  before.search("gemm");
  before.hidden[0] = true;
  desk.light = true;
  const std::string hidden = before.lanes()[0].name();
  const Interval span = before.viewport().span();
  const std::uint64_t matches = before.matches();
  ASSERT_TRUE(analyse_in_window(desk, glances).ok());
  const Session& after = desk.active();
  EXPECT_EQ(after.selected_event(), kernel);
  EXPECT_EQ(after.viewport().span(), span);
  EXPECT_EQ(after.marks().size(), 1U);
  EXPECT_EQ(after.matches(), matches);
  EXPECT_TRUE(desk.light);
  for (std::size_t i = 0; i < after.lanes().size(); ++i)
    EXPECT_EQ(after.hidden[i], after.lanes()[i].name() == hidden) << after.lanes()[i].name();
}

TEST(Analysis, WhatCannotBeAnalysedIsSaidWithItsFile) {
  const Desk::Runs glances = {glance_at(*fast_run(), {.step_marker = "no such range"})};
  Desk desk(glances);
  const auto done = analyse_in_window(desk, glances);
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, HasSubstr("no such range"));
  EXPECT_THAT(done.error().message, HasSubstr("sync_mask_norms.fixed"));
}

TEST(Analysis, MemoryThatRunsOutInItsThreadIsAnError) {
  const Desk::Runs glances = {glance_at(*fast_run())};
  Desk desk(glances);
  Frames frames;
  bool is_first = true;  // the thread's
  const auto wake = [&is_first, show = frames.wake()] {
    if (std::exchange(is_first, false)) throw std::bad_alloc();
    show();
  };
  Analysis analysis(glances, {.desk = {}, .state_folder = "", .wake = wake});
  frames.wait();
  const auto taken = analysis.take(desk);
  ASSERT_FALSE(taken.ok());
  EXPECT_THAT(taken.error().message, HasSubstr("memory"));
}

TEST(Analysis, AClosedWindowWaitsForNoMoreThanThePartAtWork) {
  const Desk::Runs glances = {glance_at(*slow_run()), glance_at(*fast_run())};
  const Analysis analysis(glances, {});
  EXPECT_FALSE(analysis.is_done());
}

TEST(Analysis, OfAnalysedRunsNothingIsLeftToDo) {
  const Analysis analysis({fast_run()}, {});
  EXPECT_TRUE(analysis.is_done());
}

}  // namespace
}  // namespace stepscope::viewer
