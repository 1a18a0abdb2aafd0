// SPDX-License-Identifier: Apache-2.0
// Where a thread is taken to have waited for a core: by hand; on random clocks, where the waits
// between two looks sum to what the clocks show; and on a loop of known operations that a busy
// machine interrupts, where each costs what it costs on a free one.
#include "core/attribution/host/core_waits.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

struct Recording {
  void op(const char* name, std::int64_t begin, std::int64_t end) {
    make.range(HostKind::op, name, 1, begin, end);
  }
  void look(std::int64_t time, std::uint8_t flags, std::int64_t cpu, std::int64_t waited) {
    Samples& s = make.data.samples;
    s.thread.push_back(make.thread(1)), s.time.push_back(time), s.site.push_back(kNone);
    s.called.push_back(0), s.innermost.push_back(0), s.flags.push_back(flags);
    s.asleep_in.emplace_back();
    s.cpu.push_back(static_cast<std::uint64_t>(cpu + 1));
    make.data.counters.time.push_back(time);
    make.data.counters.track.push_back(make.data.strings.intern("thread_wait.1"));
    make.data.counters.process.push_back(0);
    make.data.counters.value.push_back(static_cast<double>(waited + 1));
  }
  void build() {
    trace.emplace(make.build());
    threads.emplace(*trace, Steps{});
    clocks.emplace(*trace);
    silences.emplace(*trace, *threads, *clocks);
    waits.emplace(*trace, *threads, *clocks, *silences);
  }
  // Returns how long the thread waited in that time; checks that stretches tile it.
  std::int64_t waited(Interval time) {
    if (!waits) build();
    std::int64_t sum = 0;
    for (std::int64_t at = time.end; at > time.begin;) {
      const CoreWaits::Stretch stretch = waits->stretch_before(make.thread(1), at);
      EXPECT_LT(stretch.since, at);
      const std::int64_t since = std::max(stretch.since, time.begin);
      if (stretch.waits) sum += at - since;
      at = since;
    }
    return sum;
  }

  TraceMaker make;
  std::optional<Trace> trace;
  std::optional<Threads> threads;
  std::optional<ThreadCpu> clocks;
  std::optional<Silences> silences;
  std::optional<CoreWaits> waits;
};

class CoreWaitsTest : public ::testing::Test, protected Recording {};

TEST_F(CoreWaitsTest, APieceThatIsLongerThanSuchPiecesUsuallyAreGivesUpThatMuch) {
  for (std::int64_t i = 0; i < 8; ++i) op("a", i * 100, i * 100 + 100);
  op("a", 800, 1300);
  op("a", 1300, 1400);
  look(0, kSampleRan, 0, 0), look(1400, kSampleRan, 1020, 380);
  EXPECT_EQ(waited({800, 1300}), 380);
  EXPECT_EQ(waited({920, 1300}), 380) << "its end";
  EXPECT_EQ(waited({0, 1400}), 380);
}

TEST_F(CoreWaitsTest, WhatNoUnusualLengthExplainsIsTakenInProportion) {
  op("a", 0, 300), op("b", 300, 1000);
  look(0, kSampleRan, 0, 0), look(1000, kSampleRan, 500, 500);
  EXPECT_EQ(waited({0, 300}), 150);
  EXPECT_EQ(waited({300, 1000}), 350);
}

TEST_F(CoreWaitsTest, SleepGivesUpNothing) {
  op("a", 0, 1000), op("b", 9000, 10000);
  look(0, kSampleRan, 0, 0), look(1001, kSampleSlept, 1001, 0);
  look(8000, kSampleSlept, 1001, 0), look(10000, kSampleRan, 2201, 800);
  EXPECT_EQ(waited({0, 8000}), 0);
  EXPECT_EQ(waited({8000, 10000}), 800);
}

TEST_F(CoreWaitsTest, AWaitThatIsLongerThanAllElseTakesOfTheSleep) {
  op("a", 0, 100), op("b", 9900, 10000);
  look(0, kSampleRan, 0, 0), look(5000, kSampleSlept, 100, 0);
  look(6000, kSampleSlept, 100, 300), look(10000, kSampleRan, 200, 300);
  EXPECT_EQ(waited({5000, 6000}), 300);
  EXPECT_EQ(waited({0, 10000}), 300);
}

TEST_F(CoreWaitsTest, WithoutAClockForItThereIsNone) {
  op("a", 0, 100), op("b", 200, 300);
  EXPECT_EQ(waited({0, 300}), 0);
}

TEST_F(CoreWaitsTest, BetweenTwoLooksTheWaitsSumToWhatTheClocksTell) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Recording run;
    std::mt19937 random(seed);
    const auto below = [&](std::int64_t n) {
      return n < 2 ? 0 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    const char* names[] = {"a", "b", "c"};
    for (std::int64_t at = below(50); at < 100'000;) {
      const std::int64_t length = 1 + below(below(20) == 0 ? 9000 : 300);
      run.op(names[below(3)], at, at + length);
      at += length + (below(3) == 0 ? below(4000) : below(30));
    }
    std::vector<std::int64_t> looks;
    const std::uint8_t flags[] = {kSampleRan, kSampleWaits, kSampleSlept};
    std::int64_t ran = 0, ready = 0;
    for (std::int64_t at = below(3000); at < 110'000;) {
      run.look(at, flags[below(3)], ran, ready);
      looks.push_back(at);
      const std::int64_t next = at + 1 + below(9000);
      const std::int64_t on = below(next - at + 1), off = below(next - at - on + 1);
      ran += on, ready += off, at = next;
    }
    run.build();
    for (std::size_t i = 1; i < looks.size(); ++i) {
      const Interval stretch{looks[i - 1], looks[i]};
      ASSERT_EQ(run.waited(stretch), run.clocks->use(run.make.thread(1), stretch)->waited)
          << "seed " << seed << ", from " << stretch.begin << " to " << stretch.end;
    }
  }
}

// The system lets the loop run for 3 ms and then wait for 12 ms, over and over.
TEST_F(CoreWaitsTest, OperationsCostWhatTheyCostOnAFreeMachine) {
  constexpr std::int64_t kUs = 1000, kRuns = 3000 * kUs, kWaits = 12'000 * kUs;
  struct Known {
    const char* name;
    std::int64_t work;
  };
  const Known loop[] = {{"mm", 900 * kUs}, {"add", 20 * kUs}, {"gelu", 150 * kUs},
                        {"add", 20 * kUs}, {"mm", 400 * kUs}, {"sum", 60 * kUs}};
  std::mt19937 random(3);
  std::int64_t now = 0, ran = 0, ready = 0, left = kRuns, next_look = 0;
  std::map<std::string, std::int64_t> truth, found;
  std::vector<std::pair<std::string, Interval>> ops;
  // Moves on to that much more work, with the waits that fall into it, looked at all along.
  const auto go_on = [&](std::int64_t work) {
    while (work > 0) {
      const std::int64_t part = std::min(work, left);
      for (; next_look < now + part; next_look += 20'000 * kUs)
        look(next_look, kSampleRan, ran + next_look - now, ready);
      now += part, ran += part, left -= part, work -= part;
      if (left > 0) continue;
      now += kWaits, ready += kWaits, left = kRuns;
      next_look = std::max(next_look, now);
    }
  };
  for (int turn = 0; turn < 2000; ++turn) {
    for (const Known& one : loop) {
      const std::int64_t begin = now,
                         work = one.work * (90 + static_cast<std::int64_t>(random() % 20)) / 100;
      go_on(work);
      op(one.name, begin, now);
      ops.emplace_back(one.name, Interval{begin, now});
      truth[one.name] += work;
      go_on(5 * kUs);
    }
  }
  for (const auto& [name, time] : ops) found[name] += time.length() - waited(time);
  for (const auto& [name, work] : truth) {
    const double cost = static_cast<double>(found[name]) / static_cast<double>(work);
    EXPECT_NEAR(cost, 1, 0.15) << name;
  }
}

}  // namespace
}  // namespace stepscope
