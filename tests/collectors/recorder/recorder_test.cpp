// SPDX-License-Identifier: Apache-2.0
// Events of threads, read back from the file.
#include "collectors/recorder/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "collectors/recorder/clock.hpp"
#include "tests/collectors/recorder/user_ranges.hpp"

namespace stepscope::recorder {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;

using RecorderTest = RecordedChild;

TEST_F(RecorderTest, PairsNestedRangesWithNameSiteCategoryAndSequence) {
  record([] {
    begin_user("step");
    const SiteRef site = intern_site(name("train.py"), 12, name("main"));
    begin_range(kLaneFunction, HostKind::op, name("aten::mm"), name("category"), site, 7);
    end_range(kLaneFunction);
    end_range(kLaneUser);
  });
  const Trace trace = read();
  const HostRanges& rows = trace.host_ranges();
  ASSERT_THAT(names_of(trace), ElementsAre("step", "aten::mm"));
  EXPECT_THAT(rows.kind, ElementsAre(HostKind::user_scope, HostKind::op));
  EXPECT_EQ(rows.parent[1], 0U);
  EXPECT_EQ(rows.sequence[1], 7U);
  EXPECT_EQ(trace.text(rows.category[1]), "category");
  const Site& site = trace.data().sites[rows.site[1]];
  EXPECT_EQ(trace.text(site.file), "train.py");
  EXPECT_EQ(site.line, 12U);
  EXPECT_EQ(trace.text(site.function), "main");
  EXPECT_LE(rows.begin[0], rows.begin[1]);
  EXPECT_GE(rows.end[0], rows.end[1]);
  EXPECT_EQ(count_files(".ring") + count_files(".session"), 0U);
}

TEST_F(RecorderTest, TimesAreThoseOfTheSystemClock) {
  const std::int64_t before = clock_ns(CLOCK_REALTIME);
  record([] {
    begin_user("sleep");
    usleep(50'000);
    end_range(kLaneUser);
  });
  const std::int64_t after = clock_ns(CLOCK_REALTIME);
  const Trace trace = read();
  ASSERT_EQ(trace.host_ranges().size(), 1U);
  EXPECT_THAT(trace.host_ranges().begin[0], AllOf(Ge(before), Le(after)));
  EXPECT_THAT(trace.host_ranges().end[0], AllOf(Ge(before + 50'000'000), Le(after)));
}

TEST_F(RecorderTest, LanesAreStacksOfTheirOwn) {
  record([] {
    begin_range(kLaneFunction, HostKind::op, name("op"), 0, 0, kNoSequence);
    begin_range(kFirstNvtxLane, HostKind::nvtx_range, name("nvtx"), 0, 0, kNoSequence);
    end_range(kLaneFunction);  // crosses the other
    usleep(10);                // a time-stamp counter may advance in steps of 10 ns
    end_range(kFirstNvtxLane);
  });
  const Trace trace = read();
  ASSERT_THAT(names_of(trace), ElementsAre("op", "nvtx"));
  EXPECT_LT(trace.host_ranges().end[0], trace.host_ranges().end[1]);
}

TEST_F(RecorderTest, AnEndWithoutItsBeginIsIgnored) {
  record([] {
    begin_user("only");
    end_range(kLaneUser);
    end_range(kLaneUser);
  });
  EXPECT_THAT(names_of(read()), ElementsAre("only"));
}

TEST_F(RecorderTest, EveryThreadHasItsOwnRows) {
  constexpr int kThreads = 8, kRanges = 500;
  record([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([t] {
        for (int i = 0; i < kRanges; ++i) {
          begin_user("thread" + std::to_string(t));
          end_range(kLaneUser);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  const Trace trace = read();
  EXPECT_EQ(trace.data().threads.size(), static_cast<std::size_t>(kThreads));
  EXPECT_EQ(trace.host_ranges().size(), static_cast<std::size_t>(kThreads * kRanges));
  for (ThreadId thread = 0; thread < trace.data().threads.size(); ++thread) {
    EXPECT_EQ(trace.ranges_of(thread).size(), static_cast<std::uint32_t>(kRanges));
  }
}

TEST_F(RecorderTest, NodesOfGraphsArriveWithTimeThreadAndLine) {
  record([] {
    begin_user("encode");
    graph_node(0x1'0000'0001, 0, intern_site(name("train.py"), 12, name("main")));
    end_range(kLaneUser);
    graph_node(0x2'0000'0001, 0x1'0000'0001, 0);
  });
  const Trace trace = read();
  const GraphNodes& nodes = trace.graph_nodes();
  EXPECT_THAT(nodes.node, ElementsAre(0x1'0000'0001U, 0x2'0000'0001U));
  EXPECT_THAT(nodes.original, ElementsAre(0U, 0x1'0000'0001U));
  ASSERT_EQ(trace.host_ranges().size(), 1U);
  EXPECT_THAT(nodes.time[0],
              AllOf(Ge(trace.host_ranges().begin[0]), Le(trace.host_ranges().end[0])));
  EXPECT_GE(nodes.time[1], trace.host_ranges().end[0]);
  EXPECT_EQ(nodes.thread[0], trace.host_ranges().thread[0]);
  ASSERT_NE(nodes.site[0], kNone);
  EXPECT_EQ(trace.data().sites[nodes.site[0]].line, 12U);
  EXPECT_EQ(nodes.site[1], kNone);
}

TEST_F(RecorderTest, LoopPositionsArriveWithTimeThreadAndLines) {
  record([] {
    const SiteRef loop = intern_site(name("train.py"), 12, name("main"));
    const SiteRef caller = intern_site(name("train.py"), 40, name("<module>"));
    EXPECT_TRUE(loop_position({0, kLoopEntered | kLoopCounted, loop, caller, 7}));
    begin_user("step");
    end_range(kLaneUser);
    EXPECT_TRUE(loop_position({.depth = 0, .flags = kLoopLeft}));
  });
  const Trace trace = read();
  const LoopPositions& rows = trace.data().loop_positions;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.iteration[0], 7);
  EXPECT_EQ(rows.flags[0], kLoopEntered | kLoopCounted);
  EXPECT_EQ(trace.data().sites[rows.loop[0]].line, 12U);
  EXPECT_EQ(trace.data().sites[rows.caller[0]].line, 40U);
  EXPECT_EQ(rows.flags[1], kLoopLeft);
  EXPECT_EQ(rows.loop[1], kNone);
  EXPECT_LE(rows.time[0], trace.host_ranges().begin[0]);
  EXPECT_GE(rows.time[1], trace.host_ranges().end[0]);
  EXPECT_EQ(rows.thread[0], trace.host_ranges().thread[0]);
}

// More than the table of names has entries; the ring holds them all.
TEST_F(RecorderTest, AnyCountOfNumberedRangesKeepsItsNamesAndLeavesRoomForOthers) {
  constexpr std::uint32_t kRanges = 300'000;
  record(
      [] {
        for (std::uint32_t i = 0; i < kRanges; ++i) {
          begin_range(kLaneUser, HostKind::user_scope, ranged("step " + std::to_string(i)), 0, 0,
                      i);
          end_range(kLaneUser);
        }
        for (const char* later : {"eval", "checkpoint"}) {
          begin_range(kLaneUser, HostKind::user_scope, ranged(later), 0, 0, kNoSequence);
          end_range(kLaneUser);
        }
      },
      {.slots = 1U << 20U});
  const Trace trace = read();
  EXPECT_EQ(trace.health().dropped_records, 0U);
  EXPECT_EQ(trace.health().missing_fields, 0U);
  const std::vector<std::string> names = names_of(trace);
  ASSERT_EQ(names.size(), kRanges + 2U);
  for (std::uint32_t i = 0; i < kRanges; ++i) ASSERT_EQ(names[i], "step " + std::to_string(i));
  EXPECT_EQ(names[kRanges], "eval");
  EXPECT_EQ(names[kRanges + 1], "checkpoint");
}

TEST_F(RecorderTest, NumbersTravelWithMarksAndProcessRangesToo) {
  constexpr std::uint64_t kEach = 2'000, kFirst = 9'999'999'990'000;  // 13 digits
  record([] {
    for (std::uint64_t i = 0; i < kEach; ++i) {
      begin_process_range(i << 33U | 1U, ranged("request " + std::to_string(kFirst + i)), 0);
      end_process_range(i << 33U | 1U);
      mark(ranged("tick " + std::to_string(kFirst + i)), 0);
    }
  });
  const Trace trace = read();
  const std::vector<std::string> names = names_of(trace);
  ASSERT_EQ(names.size(), kEach);
  ASSERT_EQ(trace.data().marks.size(), kEach);
  for (std::uint64_t i = 0; i < kEach; ++i) {
    EXPECT_EQ(names[i], "request " + std::to_string(kFirst + i));
    EXPECT_EQ(trace.text(trace.data().marks.name[i]), "tick " + std::to_string(kFirst + i));
  }
}

TEST_F(RecorderTest, ANumberedNameMayBecomeALabel) {
  record([] {
    RangeName last = 0;
    for (int i = 0; i < 2'000; ++i) last = ranged("worker " + std::to_string(i));
    EXPECT_NE(last.numbers(), 0U);
    begin_user("x");
    end_range(kLaneUser);
    label(LabelKind::thread, static_cast<std::uint64_t>(gettid()), whole_name(last));
  });
  EXPECT_EQ(read().data().threads[0].name, "worker 1999");
}

}  // namespace
}  // namespace stepscope::recorder
