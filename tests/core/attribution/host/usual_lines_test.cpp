// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/usual_lines.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

class UsualLinesTest : public ::testing::Test {
 protected:
  void sample(std::int64_t time, SiteId site) {
    Samples& s = make.data.samples;
    s.thread.push_back(make.thread(1)), s.time.push_back(time), s.site.push_back(site);
    s.called.push_back(0), s.innermost.push_back(0), s.cpu.push_back(0), s.flags.push_back(0);
  }
  // What stands in at that time.
  SiteId at(std::int64_t time) {
    if (!built) built = make.build();
    const Threads threads(*built, {});
    const ThreadId thread = make.thread(1);
    return UsualLines(*built, threads).of(thread, threads.work(thread).at(time));
  }

  TraceMaker make;
  std::optional<Trace> built;
  SiteId one = make.site("a.py", 1), two = make.site("a.py", 2);
};

TEST_F(UsualLinesTest, TheLineSeenMostOftenInRangesOfTheName) {
  for (const std::int64_t begin : {0, 200, 400})
    make.range(HostKind::user_scope, "enumerate(DataLoader)#x", 1, begin, begin + 100);
  sample(10, two), sample(20, one), sample(210, one);
  sample(150, two), sample(160, two);  // outside
  EXPECT_EQ(at(450), one);
}

TEST_F(UsualLinesTest, TwoLoadersAtTwoLinesAreTwoPlaces) {
  for (const std::int64_t begin : {0, 200, 400, 600})
    make.range(HostKind::user_scope, "enumerate(DataLoader)#x", 1, begin, begin + 100);
  make.data.host_ranges.site = {one, two, one, two};  // of the ranges: training, evaluation, ...
  const SiteId slow = make.site("eval_set.py", 11);
  sample(210, slow), sample(220, slow);
  EXPECT_EQ(at(650), slow);
  EXPECT_EQ(at(450), kNone);
}

TEST_F(UsualLinesTest, BetweenRangesTheirNamesTellThePlace) {
  for (const std::int64_t begin : {0, 400, 800}) {
    make.range(HostKind::op, "a", 1, begin, begin + 100);
    make.range(HostKind::op, "b", 1, begin + 200, begin + 300);
  }
  sample(150, one), sample(350, two), sample(560, one);
  EXPECT_EQ(at(950), one) << "behind a, before b";
  EXPECT_EQ(at(750), two) << "behind b, before a";
  EXPECT_EQ(at(2000), kNone) << "never seen behind the last";
}

}  // namespace
}  // namespace stepscope
