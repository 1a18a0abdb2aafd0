// SPDX-License-Identifier: Apache-2.0
// The division of silences by samples, by hand; and on loops of known lines, sampled as a busy
// machine lets a sampler work: the time of each line comes out right.
#include "core/attribution/host/silences.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

class SilencesTest : public ::testing::Test {
 protected:
  void sample(std::int64_t time, SiteId site, std::uint8_t flags, std::int64_t cpu,
              std::int64_t waited = 0) {
    Samples& s = make.data.samples;
    s.thread.push_back(make.thread(1)), s.time.push_back(time), s.site.push_back(site);
    s.called.push_back(0), s.innermost.push_back(0), s.flags.push_back(flags);
    s.asleep_in.emplace_back();
    s.cpu.push_back(static_cast<std::uint64_t>(cpu));
    make.data.counters.time.push_back(time);
    make.data.counters.track.push_back(make.data.strings.intern("thread_wait.1"));
    make.data.counters.process.push_back(0);
    make.data.counters.value.push_back(static_cast<double>(waited));
  }
  void op(const char* name, std::int64_t begin, std::int64_t end) {
    make.range(HostKind::op, name, 1, begin, end);
  }
  // Returns the time of the silence around `time`, by line and by whether the thread slept.
  using Sums = std::map<std::pair<SiteId, ThreadState>, std::int64_t>;
  void add_silence(std::int64_t time, Sums& sums) {
    if (!built) {
      built = make.build();
      threads.emplace(*built, Steps{});
      silences.emplace(*built, *threads, ThreadCpu(*built));
    }
    const Interval silence =
        intersect(threads->work(make.thread(1)).at(time).time, {built->begin(), built->end()});
    for (std::int64_t at = silence.end; at > silence.begin;) {
      const Silences::Stretch stretch = silences->stretch_before(make.thread(1), silence, at);
      ASSERT_EQ(stretch.time.end, at) << "they tile the silence";
      ASSERT_LT(stretch.time.begin, at);
      const SiteId site = stretch.row == kNone ? kNone : built->data().samples.site[stretch.row];
      sums[{site, stretch.state}] += stretch.time.length();
      at = stretch.time.begin;
    }
  }
  Sums silence(std::int64_t time) {
    Sums sums;
    add_silence(time, sums);
    return sums;
  }

  TraceMaker make;
  std::optional<Trace> built;
  std::optional<Threads> threads;
  std::optional<Silences> silences;
  SiteId one = make.site("a.py", 1), two = make.site("a.py", 2), three = make.site("a.py", 3);
};

TEST_F(SilencesTest, ALookAtASleepingThreadStandsForSleepAlone) {
  op("a", 0, 1000), op("b", 11000, 12000);
  sample(500, kNone, kSampleRan, 500);
  sample(1000, one, kSampleSlept, 1000);
  sample(11000 - 1, two, kSampleRan, 4000);
  sample(11500, kNone, kSampleRan, 4501);
  const Sums sums = silence(5000);
  EXPECT_EQ(sums.at({one, ThreadState::asleep}), 6999);
  EXPECT_EQ(sums.at({two, ThreadState::awake}), 3001);
  EXPECT_EQ(sums.size(), 2U);
}

TEST_F(SilencesTest, OfTwoLooksAtARunningThreadEachStandsForHalf) {
  op("a", 0, 1000), op("b", 11000, 12000);
  sample(1000, one, kSampleRan, 1000);
  sample(10998, two, kSampleRan, 10998);
  sample(12000, two, kSampleRan, 12000);
  const Sums sums = silence(5000);
  EXPECT_EQ(sums.at({one, ThreadState::awake}), 4999);
  EXPECT_EQ(sums.at({two, ThreadState::awake}), 5001);
}

TEST_F(SilencesTest, AThreadThatIsReadyToRunALineIsAwakeAtThatLine) {
  op("a", 0, 1000), op("b", 11000, 12000);
  sample(1000, one, kSampleWaits, 1000, 100);
  sample(10999, one, kSampleWaits, 4000, 7099);
  sample(12000, one, kSampleRan, 5001, 7099);
  const Sums sums = silence(5000);
  EXPECT_EQ(sums.at({one, ThreadState::awake}), 10000);
  EXPECT_EQ(sums.size(), 1U);
}

// On a busy machine the sampler may get a core only while the thread sleeps.
TEST_F(SilencesTest, WhatRanWithoutALookIsAtALineSeenRunningInThatPlace) {
  for (const std::int64_t at : {0, 20000}) op("a", at, at + 1000), op("b", at + 11000, at + 12000);
  sample(500, kNone, kSampleRan, 500);
  sample(1000, one, kSampleSlept, 1000);
  sample(10999, one, kSampleSlept, 8000);
  sample(20500, kNone, kSampleRan, 17000);
  sample(25000, two, kSampleRan, 21500);
  sample(40000, kNone, kSampleRan, 36000);
  const Sums sums = silence(5000);
  EXPECT_EQ(sums.at({one, ThreadState::asleep}), 2999);
  EXPECT_EQ(sums.at({two, ThreadState::awake}), 7001);
}

TEST_F(SilencesTest, APlaceThatWasNeverLookedIntoHasNoLine) {
  op("a", 0, 1000), op("b", 11000, 12000), op("c", 22000, 23000);
  sample(500, kNone, kSampleRan, 500);
  sample(5000, one, kSampleRan, 5000);
  sample(22500, kNone, kSampleRan, 22500);
  EXPECT_EQ(silence(15000).begin()->first.first, kNone);
}

TEST_F(SilencesTest, TwoLoadersAtTwoLinesAreTwoPlaces) {
  for (const std::int64_t begin : {0, 20000, 40000, 60000})
    make.range(HostKind::user_scope, "enumerate(DataLoader)#x", 1, begin, begin + 10000);
  make.data.host_ranges.site = {one, two, one, two};  // the ranges are training, evaluation, ...
  sample(500, kNone, kSampleRan, 500);
  sample(21000, three, kSampleRan, 21000), sample(29000, three, kSampleRan, 29000);
  sample(79000, kNone, kSampleRan, 79000);
  EXPECT_EQ(silence(65000).begin()->first.first, three);
  EXPECT_EQ(silence(45000).begin()->first.first, kNone);
}

// A loop of known lines: ops with silences between them, in which it runs and sleeps.
struct KnownLine {
  SiteId site;
  std::int64_t length;
  bool sleeps, op_behind;
};

class KnownLoop : public SilencesTest {
 protected:
  // On a busy machine half of the looks that are due while the loop runs have to wait for some
  // milliseconds, or until it sleeps.
  void run(const std::vector<KnownLine>& lines, std::int64_t period, bool is_busy) {
    std::mt19937_64 random(7);
    const auto below = [&](std::int64_t n) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    std::int64_t now = 0, cpu = 1'000'000, waited = 1, next_look = 0;
    bool has_waited = false;
    std::vector<std::int64_t> inside;
    for (int turn = 0; turn < 1500; ++turn) {
      for (const KnownLine& line : lines) {
        const std::int64_t begin = now, length = line.length / 2 + below(line.length);
        if (line.sleeps && has_waited) next_look = std::min(next_look, begin + 1);
        while (next_look < begin + length) {
          const bool waits = is_busy && !line.sleeps && !has_waited && below(2) == 0;
          has_waited = waits;
          if (waits) {
            next_look += below(6 * 1'000'000);
            continue;
          }
          const std::int64_t ran = line.sleeps ? 0 : next_look - begin;
          sample(next_look, line.site, line.sleeps ? kSampleSlept : kSampleRan, cpu + ran, waited);
          next_look += period * 3 / 4 + below(period / 2);
        }
        now += length;
        if (!line.sleeps) cpu += length;
        truth[line.site] += length;
        if (inside.empty() || line.op_behind) inside.push_back(begin);
        if (!line.op_behind) continue;
        op("aten::op", now, now + 1000);
        now += 1000, cpu += 1000;
      }
    }
    Sums sums;
    std::int64_t last = -1;
    for (const std::int64_t at : inside) {
      if (at == last) continue;
      add_silence(at, sums), last = at;
    }
    for (const auto& [what, ns] : sums) found[what.first] += ns;
  }
  void expect_right(double within) {
    for (const auto& [site, ns] : truth) {
      const auto expected = static_cast<double>(ns);
      EXPECT_NEAR(static_cast<double>(found[site]) / expected, 1, within) << "line " << site;
    }
  }
  std::map<SiteId, std::int64_t> truth, found;
};

constexpr std::int64_t kMs = 1'000'000;

TEST_F(KnownLoop, LinesOfOneLongSilence) {
  run({{one, 30 * kMs, false, false}, {two, 10 * kMs, false, false}, {three, 4 * kMs, true, true}},
      2 * kMs, false);
  expect_right(0.03);
}

TEST_F(KnownLoop, SilencesShorterThanTheDistanceOfLooks) {
  run({{one, kMs / 2, false, true}, {two, kMs * 3 / 2, false, true}, {three, kMs, true, true}},
      2 * kMs, false);
  expect_right(0.08);
}

TEST_F(KnownLoop, ABusyMachineWhoseSamplerComesWhenTheLoopSleeps) {
  run({{one, 6 * kMs, false, false}, {two, 3 * kMs, false, false}, {three, 2 * kMs, true, true}},
      2 * kMs, true);
  expect_right(0.15);
}

TEST_F(KnownLoop, ShortSilencesInWhichItComputesAndSleeps) {
  run({{one, kMs / 2, false, false}, {two, kMs, true, true}, {three, 2 * kMs, false, true}},
      10 * kMs, false);
  expect_right(0.15);
}

TEST_F(KnownLoop, LooksFartherApartThanTheLoopIsLong) {
  run({{one, 6 * kMs, false, false}, {two, 3 * kMs, true, false}, {three, 2 * kMs, false, true}},
      30 * kMs, false);
  expect_right(0.15);
}

}  // namespace
}  // namespace stepscope
