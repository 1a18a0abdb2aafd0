// SPDX-License-Identifier: Apache-2.0
// A loop whose steps each sleep for 1 ms between two operations, made by hand. The sampler looks into every
// second sleep. The cause of the sleeps in between is known from its looks, where there are eight or more.
#include <gtest/gtest.h>

#include <map>

#include "core/attribution/attribution.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kNsOfUs = 1000, kFirstStep = 1'700'000'000'000'000'000;
constexpr std::int64_t kStepUs = 1'200, kOpUs = 100, kSleepUs = 1'000;  // us: op, sleep, op

class SleepingLoop {
 public:
  explicit SleepingLoop(int steps) : steps_(steps) {
    for (int i = 0; i < steps; ++i) {
      op("aten::mm", i * kStepUs), op("aten::add", i * kStepUs + kOpUs + kSleepUs);
      if (i % 2 == 0) look(i, kOpUs + kSleepUs / 2, kSampleSlept);
      look(i, kStepUs - kOpUs / 2, kSampleRan);
    }
  }
  // Returns the time of each cause in all steps, in us.
  std::map<Cause, std::int64_t> times() {
    Steps steps;
    steps.thread = make_.thread(1);
    steps.found_by = FoundBy::user_marker;
    Step step;
    step.window = step.host = {kFirstStep, kFirstStep + steps_ * kStepUs * kNsOfUs};
    steps.list.push_back(step);
    const Result<Attribution> made = attribute(make_.build(), steps);
    EXPECT_TRUE(made.ok());
    std::map<Cause, std::int64_t> out;
    for (const Segment& segment : made->process.segments)
      out[segment.cause] += segment.time.length() / kNsOfUs;
    return out;
  }

 private:
  void op(const char* name, std::int64_t us) {
    const std::int64_t begin = kFirstStep + us * kNsOfUs;
    make_.range(HostKind::op, name, 1, begin, begin + kOpUs * kNsOfUs);
  }
  // The clock counts all that is no sleep.
  void look(int step, std::int64_t at, std::uint8_t flags) {
    const std::int64_t ran = step * 2 * kOpUs + (at > kOpUs + kSleepUs ? at - kSleepUs : kOpUs);
    Samples& s = make_.data.samples;
    s.thread.push_back(make_.thread(1));
    s.time.push_back(kFirstStep + (step * kStepUs + at) * kNsOfUs);
    s.site.push_back(line_), s.called.push_back(0), s.innermost.push_back(0);
    s.cpu.push_back(static_cast<std::uint64_t>(ran * kNsOfUs));
    s.flags.push_back(flags), s.asleep_in.emplace_back();
  }

  TraceMaker make_;
  SiteId line_ = make_.site("train.py", 7);
  int steps_;
};

TEST(KnownWaits, APlaceThatWasLookedIntoOftenGivesTheCauseOfSleepsWithoutALook) {
  std::map<Cause, std::int64_t> times = SleepingLoop(40).times();
  EXPECT_EQ(times[Cause::host_off_cpu], 40 * kSleepUs);
  EXPECT_EQ(times[Cause::host_between_calls], 0);
}

TEST(KnownWaits, AFewLooksGiveTheCauseOfTheirOwnSleepsAlone) {
  std::map<Cause, std::int64_t> times = SleepingLoop(10).times();
  EXPECT_EQ(times[Cause::host_off_cpu], 5 * kSleepUs);
  EXPECT_EQ(times[Cause::host_between_calls], 5 * kSleepUs);
}

}  // namespace
}  // namespace stepscope
