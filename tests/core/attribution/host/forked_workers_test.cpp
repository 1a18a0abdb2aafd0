// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/forked_workers.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/model/events.hpp"
#include "tests/core/model/trace_maker.hpp"

namespace stepscope {
namespace {

class ForkedWorkersTest : public ::testing::Test {
 protected:
  void read(std::int64_t pid, std::int64_t time, double cpu) {
    Counters& c = make_.data.counters;
    c.time.push_back(time), c.process.push_back(0), c.value.push_back(cpu);
    c.track.push_back(make_.data.strings.intern(kChildCpuTrack + std::to_string(pid)));
  }
  ForkedWorkers with(const std::set<std::int64_t>& seen) {
    make_.range(HostKind::op, "aten::mm", 1, 0, 1000);
    return {make_.build(), 0, seen};
  }

 private:
  TraceMaker make_;
};

TEST_F(ForkedWorkersTest, NeighboursOfOneRoundAreWorkersToo) {
  for (const std::int64_t pid : {201, 202, 203, 204}) read(pid, 1000, 5);
  read(300, 1000, 5);  // another helper of the program
  read(205, 2000, 5);  // a worker that the next epoch starts
  const ForkedWorkers forked = with({202, 205});
  EXPECT_EQ(forked.unseen_beside({202}), 3U);
  EXPECT_EQ(forked.unseen_beside({205}), 0U);
  EXPECT_EQ(forked.unseen_beside({202, 205}), 3U);
  EXPECT_EQ(forked.unseen_beside({}), 0U);
}

TEST_F(ForkedWorkersTest, WithoutReadingsNobodyStandsBesideThem) {
  EXPECT_EQ(with({202}).unseen_beside({202}), 0U);
}

TEST_F(ForkedWorkersTest, TheirTimeOnACoreIsKnownWhereTheirClocksCoverMostOfIt) {
  for (const std::int64_t pid : {201, 202}) read(pid, 0, 0), read(pid, 800, 400);
  const ForkedWorkers forked = with({201, 202});
  EXPECT_DOUBLE_EQ(forked.cpu_in({0, 800}), 800);
  EXPECT_DOUBLE_EQ(forked.cpu_in({0, 1000}), 1000) << "its end is like the rest";
  EXPECT_DOUBLE_EQ(forked.cpu_in({0, 10000}), 0);
  EXPECT_DOUBLE_EQ(forked.cpu_of_lives(), 800);
}

}  // namespace
}  // namespace stepscope
