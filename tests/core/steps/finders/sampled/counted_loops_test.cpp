// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/finders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/importers/trace_repairs.hpp"
#include "tests/core/model/trace_maker.hpp"
#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kLookEvery = 10'000'000;
constexpr int kThread = 100;

// A program of loops whose main thread is looked at every kLookEvery.
class CountedProgram {
 public:
  // The rest of the run, of which each look sees the loops that are open.
  void run(std::int64_t ns) {
    for (const std::int64_t end = now_ + ns; now_ < end;) {
      if (now_ >= next_look_) look(), next_look_ += kLookEvery;
      now_ = std::min(end, next_look_);
    }
  }
  template <class Body>
  void loop(const std::string& name, int iterations, Body body, bool has_end = true, int end = 0) {
    for (int i = 1; i <= iterations; ++i) {
      open_[name] = {i, !has_end ? -1 : end > 0 ? end : iterations};
      body(i);
    }
    open_.erase(name);
  }
  // From here on, loops and looks belong to a process that the program started, from the begin on.
  void be_child() {
    computes_ = 1, next_look_ = now_ = kBegin;
    make_.data.processes.push_back({.pid = kThread + 1, .facts = {{"parent_pid", "100"}}});
    process_ = 1;
  }
  void wait_from_now_on() { computes_ = 0; }
  Trace build() {
    for (ProcessId process = 0; process <= process_; ++process)
      make_.data.clocks.push_back({.process = process, .realtime_ns = now_});
    add_sampled_programs(make_.data);
    return make_.build();
  }
  std::int64_t now() const { return now_; }

 private:
  struct Open {
    int position, end;
  };
  void look() {
    Samples& s = make_.data.samples;
    s.time.push_back(now_);
    s.thread.push_back(make_.thread(kThread + process_, "", process_));
    s.site.push_back(kNone);
    s.called.push_back(0);
    s.innermost.push_back(0);
    s.cpu.push_back(static_cast<std::uint64_t>(computes_ * now_));
    s.flags.push_back(0);
    s.asleep_in.emplace_back();
    for (const auto& [name, open] : open_) {
      count(kLoopPositionTrack, name, open.position);
      if (open.end >= 0) count(kLoopEndTrack, name, open.end);
    }
  }
  void count(const char* track, const std::string& name, int value) {
    Counters& c = make_.data.counters;
    c.time.push_back(now_);
    c.track.push_back(
        make_.data.strings.intern(track + std::to_string(kThread + process_) + "." + name));
    c.process.push_back(process_);
    c.value.push_back(value);
  }

  TraceMaker make_;
  std::map<std::string, Open> open_;
  static constexpr std::int64_t kBegin = 1'000'000;
  std::int64_t now_ = kBegin, next_look_ = kBegin, computes_ = 1;
  ProcessId process_ = 0;
};

constexpr const char* kSteps = "1.train|/home/me/train.py";

// A notebook's runner goes through the cells; its kernel computes.
TEST(CountedLoops, AProgramThatOnlyWaitsForAnotherIsNotTheLoop) {
  for (const bool waits : {true, false}) {
    CountedProgram program;
    if (waits) program.wait_from_now_on();
    program.loop("1.cells|/home/me/runner.py", 8, [&](int) { program.run(50'000'000); });
    program.be_child();
    program.loop(kSteps, 100, [&](int) { program.run(4'000'000); });
    const Result<Steps> steps = find_steps(program.build());
    ASSERT_TRUE(steps.ok());
    EXPECT_EQ(steps->process, waits ? 1U : 0U);
  }
}

TEST(CountedLoops, EachIterationIsAStepThoughLooksAreRare) {
  CountedProgram program;
  program.run(300'000'000);
  const std::int64_t begin = program.now();
  program.loop(kSteps, 80, [&](int) { program.run(4'000'000); });
  const std::int64_t end = program.now();
  program.run(50'000'000);
  const Steps steps = found(program.build());
  EXPECT_EQ(steps.found_by, FoundBy::loop_counter);
  ASSERT_EQ(steps.list.size(), 80U);
  EXPECT_THAT(steps.how, HasSubstr("80 iterations of a loop in train (train.py)"));
  EXPECT_NEAR(static_cast<double>(steps.list.front().host.begin), static_cast<double>(begin),
              1.1e7);
  EXPECT_NEAR(static_cast<double>(steps.list.back().host.end), static_cast<double>(end), 1.1e7);
}

// Batches of an epoch fill it and are many; the layers of a model are few.
TEST(CountedLoops, BatchesOfEpochsAreTheSteps) {
  CountedProgram program;
  program.loop("1.main|t.py", 5, [&](int) {
    program.loop("2.main|t.py", 30, [&](int) {
      program.loop("1.forward|t.py", 3, [&](int) { program.run(3'000'000); });
    });
  });
  EXPECT_EQ(found(program.build()).list.size(), 150U);
}

TEST(CountedLoops, AnInnerLoopOfAStepIsNone) {
  CountedProgram program;
  program.loop(kSteps, 40, [&](int) {
    program.run(5'000'000);
    program.loop("1.parse|t.py", 8, [&](int) { program.run(6'000'000); });
  });
  EXPECT_EQ(found(program.build()).list.size(), 40U);
}

// The iterator's end gives the part of an epoch behind the last sample, and so the last step.
TEST(CountedLoops, ShortEpochsAreCountedToTheirEnds) {
  CountedProgram program;
  program.loop("1.main|t.py", 6, [&](int) {
    program.loop("2.main|t.py", 17, [&](int) { program.run(3'300'000); });
    program.run(25'000'000);  // a validation
  });
  EXPECT_EQ(found(program.build()).list.size(), 102U);
}

// The loop runs 70 of a range of 1,000: the rest did not run.
TEST(CountedLoops, ALoopThatIsLeftEarlyHasNoStepsBehindThat) {
  CountedProgram program;
  program.loop(
      kSteps, 70, [&](int) { program.run(7'000'000); }, true, 1'000);
  program.run(60'000'000);
  EXPECT_NEAR(static_cast<double>(found(program.build()).list.size()), 70, 1);
}

TEST(CountedLoops, LoopsThatAreOverBetweenTwoLooksAreNone) {
  CountedProgram program;
  program.loop("1.main|t.py", 4, [&](int) { program.run(90'000'000); });
  for (int i = 0; i < 60; ++i) program.loop("1.helper|t.py", 9, [&](int) { program.run(700'000); });
  EXPECT_EQ(found(program.build()).found_by, FoundBy::whole_trace);
}

// Steps end where the next begins, so that no time is lost between them.
TEST(CountedLoops, StepsTileTheLoop) {
  CountedProgram program;
  program.loop(
      kSteps, 33, [&](int i) { program.run(i % 7 * 5'000'000); }, false);
  const Steps steps = found(program.build());
  for (std::size_t i = 1; i < steps.list.size(); ++i)
    EXPECT_EQ(steps.list[i].host.begin, steps.list[i - 1].host.end) << i;
}

}  // namespace
}  // namespace stepscope
