// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/finders.hpp"

#include <gtest/gtest.h>

#include <map>

#include "core/importers/trace_repairs.hpp"
#include "tests/core/model/trace_maker.hpp"
#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kLook = 2'000'000;

// A program whose main thread is looked at every kLook while it goes through lines.
class SampledProgram {
 public:
  void at(std::uint32_t line, std::int64_t ns) {
    for (const std::int64_t end = now_ + ns; now_ < end; now_ += step_to(end)) {
      if (now_ < next_look_) continue;
      sample(line);
      next_look_ += kLook;
    }
  }

  Trace build() {
    make.data.clocks.push_back({.process = 0, .realtime_ns = now_});
    add_sampled_programs(make.data);
    return make.build();
  }

  std::int64_t now() const { return now_; }
  TraceMaker make;

 private:
  std::int64_t step_to(std::int64_t end) const {
    return now_ < next_look_ ? std::min(end, next_look_) - now_ : 0;
  }

  void sample(std::uint32_t line) {
    if (sites_.find(line) == sites_.end()) sites_[line] = make.site("train.py", line);
    Samples& s = make.data.samples;
    s.time.push_back(now_);
    s.thread.push_back(make.thread(100));
    s.site.push_back(sites_[line]);
    s.called.push_back(0);
    s.innermost.push_back(0);
    s.cpu.push_back(static_cast<std::uint64_t>(now_));
    s.flags.push_back(0);
    s.asleep_in.emplace_back();
  }

  std::int64_t now_ = 1'000'000;
  std::int64_t next_look_ = 1'000'000;
  std::map<std::uint32_t, SiteId> sites_;
};

TEST(SampledLines, ALineThatComesEvenlyBeginsTheSteps) {
  SampledProgram program;
  program.at(1, 100'000'000);  // imports
  for (int step = 0; step < 40; ++step) {
    program.at(10, 30'000'000);
    program.at(11, 12'000'000 + step % 3 * 1'000'000);
    program.at(12, 500'000);
  }
  const Steps steps = found(program.build());
  EXPECT_EQ(steps.found_by, FoundBy::periodicity);
  EXPECT_NEAR(static_cast<double>(steps.list.size()), 39, 1);
  const Step& last = steps.list.back();
  const std::int64_t all = last.window.end - steps.list.front().window.begin;
  EXPECT_NEAR(static_cast<double>(all) / static_cast<double>(steps.list.size()), 43.5e6, 0.2e6);
}

TEST(SampledLines, AnInnerLoopIsOneVisit) {
  SampledProgram program;
  for (int step = 0; step < 20; ++step) {
    for (int row = 0; row < 5; ++row) program.at(20, 4'000'000), program.at(21, 3'000'000);
    program.at(11, 30'000'000);
  }
  const Steps steps = found(program.build());
  EXPECT_EQ(steps.found_by, FoundBy::periodicity);
  EXPECT_NEAR(static_cast<double>(steps.list.size()), 19, 1);
}

// What the looks alone would make periodic.
TEST(SampledLines, StepsBelowTheSpacingOfSamplesAreNotClaimed) {
  SampledProgram program;
  for (int step = 0; step < 2000; ++step) program.at(10, 700'000), program.at(11, 900'000);
  const Steps steps = found(program.build());
  EXPECT_EQ(steps.found_by, FoundBy::whole_trace);
  EXPECT_EQ(steps.list.front().window.end, program.now());
}

// A short line that looks meet now and then, at even distances by chance.
TEST(SampledLines, ALineThatLooksMissIsNoMeasure) {
  SampledProgram program;
  for (int step = 0; step < 1000; ++step) {
    program.at(10, 2'100'000), program.at(11, 1'800'000);
    program.at(12, step % 20 == 0 ? 2'000'000 : 20'000);
  }
  EXPECT_EQ(found(program.build()).found_by, FoundBy::whole_trace);
}

TEST(SampledLines, AProgramWithRecordsIsNotTouched) {
  SampledProgram program;
  for (int step = 0; step < 20; ++step) program.at(10, 30'000'000), program.at(11, 12'000'000);
  program.make.range(HostKind::op, "aten::add", 100, 2'000'000, 3'000'000);
  const Trace trace = program.build();
  EXPECT_EQ(trace.host_ranges().size(), 1U);
  EXPECT_TRUE(trace.health().notes.empty());
}

}  // namespace
}  // namespace stepscope
