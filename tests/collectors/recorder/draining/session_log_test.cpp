// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/session_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/collectors/recorder/user_ranges.hpp"

namespace stepscope::recorder {
namespace {

using testing::Contains;

using SessionLogTest = RecordedChild;

TEST_F(SessionLogTest, FactsLabelsNotesAndCountersArrive) {
  record([] {
    fact("torch", "2.11.0");
    fact("process.rank", "3");
    note("a note");
    begin_user("x");
    end_range(kLaneUser);
    label(LabelKind::thread, static_cast<std::uint64_t>(gettid()), name("trainer"));
    count_site_lookup(true);
    count_site_lookup(false);
    collecting(Collector::user_scopes);
  });
  const Trace trace = read();
  ASSERT_EQ(trace.data().processes.size(), 1U);
  const Process& about = trace.data().processes[0];
  EXPECT_EQ(about.facts.at("torch"), "2.11.0");
  EXPECT_EQ(about.rank, 3);
  const std::int64_t cpu_ns = std::stoll(about.facts.at("writer.cpu_ns"));
  EXPECT_GT(std::stoll(about.facts.at("writer.decode_ns")), 0);
  EXPECT_LT(std::stoll(about.facts.at("writer.decode_ns")), cpu_ns);
  EXPECT_EQ(about.exit_reason, ExitReason::exited);
  EXPECT_EQ(trace.data().threads[0].name, "trainer");
  EXPECT_THAT(trace.health().notes, Contains("a note"));
  EXPECT_EQ(trace.health().sites_wanted, 2U);
  EXPECT_EQ(trace.health().sites_found, 1U);
  EXPECT_TRUE(trace.collected().user_scopes);
  EXPECT_FALSE(trace.collected().framework_ops);
}

}  // namespace
}  // namespace stepscope::recorder
