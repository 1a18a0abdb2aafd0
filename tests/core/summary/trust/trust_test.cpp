// SPDX-License-Identifier: Apache-2.0
#include "core/summary/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/losses.hpp"
#include "tests/core/summary/simple_steps.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(SummaryTrust, LaunchesWithoutDeviceRecordsAreNamed) {
  SimpleSteps s;
  s.step(100);
  s.make.call("cudaLaunchKernel", 1, 1'000, 1'010, 1);
  const Summary sum = s.sum();
  EXPECT_THAT(sum.trust.notes, Contains(HasSubstr("no device activity was recorded")));
  EXPECT_TRUE(sum.run.device_unseen) << "so nothing is said of who limits the step";
  EXPECT_THAT(sum.partition.why_bound, HasSubstr("its device work was not recorded"));
}

TEST(SummaryTrust, TheRecordersOwnThreadsAreAskedOfAllProcesses) {
  SimpleSteps s = loop_with(70, 30);
  s.make.range(HostKind::op, "a", 1, 1'000, 1'100);
  s.make.range(HostKind::op, "b", 1, 1'100, 1'200);
  s.make.data.processes.push_back(s.make.data.processes[0]);
  for (Process& process : s.make.data.processes)
    process.facts = {{"writer.cpu_ns", "30"}, {"writer.decode_ns", "10"}};
  const Summary sum = s.sum();
  ASSERT_TRUE(sum.trust.recorder);
  EXPECT_DOUBLE_EQ(sum.trust.recorder->core_share, 60.0 / 200);
  EXPECT_DOUBLE_EQ(sum.trust.recorder->ns_per_event, 30);
  EXPECT_DOUBLE_EQ(sum.trust.recorder->decode_ns_per_event, 10);
  EXPECT_FALSE(loop_with(70, 30).sum().trust.recorder);
}

// Two operations of 200 ns behind imports of a second.
TEST(SummaryTrust, TheRecordersShareIsOfTheProcessesLife) {
  SimpleSteps s = loop_with(70, 30);
  s.make.range(HostKind::op, "a", 1, 1'000, 1'200);
  s.make.data.processes.push_back(s.make.data.processes[0]);
  for (Process& process : s.make.data.processes)
    process.facts = {{"writer.cpu_ns", "2000000"}, {"host_samples.cpu_ns", "3000000"}};
  s.make.data.processes[0].facts["process.life_ns"] = "1000000000";
  s.make.data.processes[1].facts["process.life_ns"] = "500000000";
  EXPECT_DOUBLE_EQ(s.sum().trust.recorder->core_share, 0.01);
}

// The loop ran in a child of a pool.
std::string command_shown(const std::string& child, const std::string& parent) {
  SimpleSteps s = loop_with(70, 30);
  s.make.data.processes[0].pid = 11;
  s.make.data.processes[0].facts = {
      {"command", child}, {"parent_pid", "10"}, {"run.command", "python run.py"}};
  s.make.data.processes.push_back({.pid = 10, .facts = {{"command", parent}}});
  if (parent.empty()) s.make.data.processes.pop_back();
  return s.sum().run.command;
}

TEST(SummaryRun, AWorkerThatALibraryStartedIsShownAsItsProgram) {
  const std::string spawned =
      "python -c 'from multiprocessing.spawn import spawn_main; spawn_main("
      "tracker_fd=6, pipe_handle=15)' --multiprocessing-fork";
  EXPECT_EQ(command_shown("python child.py", "python main.py"), "python child.py");
  EXPECT_EQ(command_shown(spawned, "python main.py"), "python main.py");
  EXPECT_EQ(command_shown(spawned, ""), "python run.py") << "the parent recorded nothing";
  EXPECT_EQ(command_shown(spawned, spawned), "python run.py");
}

TEST(SummaryTrust, TrustNamesWhatIsMissingAndWhatBroke) {
  SimpleSteps s = loop_with(70, 30);
  s.attribution.process.cells[0].ns += 1;
  s.make.data.health.dropped_records = 3;
  s.make.data.health.sites_wanted = 10;
  s.make.data.health.sites_found = 9;
  s.make.data.health.lost_chunks = 2;
  const Summary sum = s.sum();
  EXPECT_EQ(sum.trust.dropped, 3U);
  EXPECT_EQ(sum.trust.lost_chunks, 2U);
  EXPECT_EQ(sum.trust.link_rate, 0.9);
  ASSERT_EQ(sum.trust.broken_invariants.size(), 2U);
  EXPECT_THAT(sum.trust.broken_invariants[0], HasSubstr("parts sum to 301 ns"));
  EXPECT_THAT(sum.trust.broken_invariants[1], HasSubstr("device's parts sum to 211 ns"));
  EXPECT_THAT(sum.trust.notes, Contains(HasSubstr("2 chunks")));
  EXPECT_EQ(sum.trust.abstained[0].id, "host.gc");
}

// With the states of the capture that the recorder wrote.
std::string nothing_recorded(const std::vector<std::string>& notes,
                             const std::vector<double>& states) {
  SimpleSteps s = loop_with(70, 30);
  s.steps.recorded = {1'000, 2'000};
  s.make.data.health.notes = notes;
  Counters& c = s.make.data.counters;
  for (const double state : states) {
    c.time.push_back(1'000 + 50 * static_cast<std::int64_t>(c.time.size()));
    c.track.push_back(s.make.data.strings.intern(kCaptureTrack));
    c.process.push_back(0);
    c.value.push_back(state);
  }
  return s.sum().trust.nothing_recorded;
}

TEST(SummaryTrust, APlanWhoseTimeNeverCameIsNamedWithItsReason) {
  const std::string why = "the process ended before --start-after";
  const std::vector<std::string> notes = {"another note", std::string(kNothingRecorded) + why};
  EXPECT_EQ(nothing_recorded(notes, {0}), why);
  EXPECT_THAT(nothing_recorded({}, {0}), HasSubstr("did not come"));
  EXPECT_EQ(nothing_recorded(notes, {0, 1}), "");
  EXPECT_EQ(nothing_recorded(notes, {}), "");  // the note of another process
}

// --steps alone: the plan's only change is that recording ends.
TEST(SummaryTrust, APlanThatOnlyEndsHasItsTimeBefore) {
  SimpleSteps s = loop_with(70, 30);
  s.steps.recorded = {1'000, 2'000};
  Counters& c = s.make.data.counters;
  c.time.push_back(1'500), c.track.push_back(s.make.data.strings.intern(kCaptureTrack));
  c.process.push_back(0), c.value.push_back(0);
  EXPECT_EQ(s.sum().trust.nothing_recorded, "");
}

}  // namespace
}  // namespace stepscope
