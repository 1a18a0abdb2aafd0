// SPDX-License-Identifier: Apache-2.0
// The finding about a loop that waits for cores says whether the program itself has them, and its
// advice names the machine's cores and the loader's workers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/model/events.hpp"
#include "tests/core/findings/finding_of_text.hpp"

namespace stepscope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The thread waits 0.4 ms of each millisecond for a core.
std::string waiting_loop(const std::string& machine) {
  return machine +
         "no_device\nrepeat 4 host=1000 device=1000\nstep 0 1000\n"
         "op t1 0 1000 aten::mm at=train.py:10\nend\ncpu t1 0 0\ncpu t1 4000 2400\n"
         "counter thread_wait.1 0 0\ncounter thread_wait.1 4000 1600000\n"
         "expect found core_contention train.py:10\n";
}

std::string hint_on(const std::string& machine) {
  return finding_of_text(waiting_loop(machine), "core_contention").code_hint;
}

TEST(CoreContention, NamesFewerThreadsOnlyWherePyTorchComputesWithMore) {
  EXPECT_EQ(hint_on("process p0 cores=8 torch=2.11.0 threads=16\n"), "torch.set_num_threads(8)");
  EXPECT_EQ(hint_on("process p0 cores=8 torch=2.11.0 threads=8\n"), "");
  EXPECT_EQ(hint_on("process p0 cores=8 torch=2.11.0\n"), "");
  EXPECT_EQ(hint_on("process p0 cores=8 threads=16\n"), "");
}

// On two cores, the loop's thread runs for 2.4 ms of 4 and waits for 1.6; the other threads of its
// process run for `others` ms.
Finding finding_beside(double others) {
  return finding_of_text(waiting_loop("process p0 cores=2 torch=2.11.0 threads=3\n") +
                             "counter process_cpu 0 5\n" +
                             fmt::format("counter process_cpu 4000 {}\n", 2'400'005 + others * 1e6),
                         "core_contention");
}

TEST(CoreContention, NamesFewerThreadsOnlyWhereTheirWorkIsLessThanTheWait) {
  EXPECT_EQ(finding_beside(4.8).code_hint, "torch.set_num_threads(2)");
  EXPECT_EQ(finding_beside(0.01).code_hint, "") << "it computes with one thread already";
  EXPECT_THAT(finding_beside(0.01).fix, Not(HasSubstr("with fewer threads the loop's")));
  const Finding busy = finding_beside(8);
  EXPECT_EQ(busy.code_hint, "");
  EXPECT_THAT(busy.fix, HasSubstr("with fewer threads the loop's would compute for longer"));
}

TEST(CoreContention, NamesNoNumberWhereTheCoresAreNotKnown) {
  EXPECT_EQ(hint_on(""), "");
}

// The loop waits for its two workers for half of the step: fewer of them would not help it.
TEST(CoreContention, AdvisesNoFewerWorkersToALoopThatWaitsForThem) {
  std::string text =
      "process p0 cores=2 torch=2.11.0\nno_device\nrepeat 4 host=1000 device=1000\n"
      "step 0 1000\nscope t1 0 500 "
      "\"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__\"\n"
      "op t1 500 1000 aten::mm at=train.py:10\nend\ncpu t1 0 0\ncpu t1 4000 1200\n"
      "counter thread_wait.1 0 0\ncounter thread_wait.1 4000 800000\n";
  for (const char* worker : {"t3", "t4"})
    for (int time = 0; time <= 4000; time += 250)
      text += fmt::format("sample {} {} at=data.py:5 cpu={} flags={}\n", worker, time, time,
                          int{kSampleWorker} | int{kSampleFetching} | int{kSampleRan});
  text += "expect found core_contention train.py:10\n";
  const Finding found = finding_of_text(text, "core_contention");
  EXPECT_THAT(found.fix, HasSubstr("the loop waits for them, so it keeps them"));
  EXPECT_THAT(found.code_hint, Not(HasSubstr("num_workers")));
}

Finding finding_with_own_cpu(std::int64_t ns) {
  return finding_of_text(waiting_loop("process p0 cores=2\n") + "counter process_cpu 0 5\n" +
                             fmt::format("counter process_cpu 4000 {}\n", ns + 5),
                         "core_contention");
}

TEST(CoreContention, IsOfTheProgramWhoseThreadsKeepTheCoresBusy) {
  const Finding own = finding_with_own_cpu(7'600'000);
  EXPECT_FALSE(own.is_of_machine());
  EXPECT_THAT(own.title, HasSubstr("this program's own threads keep 1.9 of the 2 cores busy"));
  EXPECT_THAT(own.fix, HasSubstr("no more threads"));
}

TEST(CoreContention, IsOfTheMachineWhereOtherProgramsHaveTheCores) {
  const Finding others = finding_with_own_cpu(2'400'000);
  EXPECT_TRUE(others.is_of_machine());
  EXPECT_THAT(others.title, HasSubstr("other threads or processes (or a virtual machine's "
                                      "host) had the 2 cores, of which this "
                                      "program kept 0.6 busy"));
}

TEST(CoreContention, AllProcessesOfTheProgramCount) {
  const std::string two = "process p0 cores=2\nprocess p1\n";
  const std::string readings =
      "counter process_cpu 0 5\ncounter process_cpu 4000 2400005\n"
      "counter p1.process_cpu 0 0\ncounter p1.process_cpu 4000 5200000\n";
  const Finding finding = finding_of_text(two + waiting_loop("") + readings, "core_contention");
  EXPECT_FALSE(finding.is_of_machine()) << finding.title;
}

// Nothing is recorded in the worker of a pool.
TEST(CoreContention, ProcessesThatTheProgramStartedCount) {
  const std::string text = "process p0 cores=2\n" + waiting_loop("") +
                           "counter process_cpu 0 5\ncounter process_cpu 4000 2400005\n"
                           "counter child_cpu.77 0 0\ncounter child_cpu.77 4000 ";
  const Finding pool = finding_of_text(text + "4000000\n", "core_contention");
  EXPECT_THAT(pool.title,
              HasSubstr("threads with the processes that it started keep 1.6 of the 2"));
  const Finding idle = finding_of_text(text + "400000\n", "core_contention");
  EXPECT_THAT(idle.title, HasSubstr("kept 0.7 busy"));
}

TEST(CoreContention, IsOfTheMachineWhereTheProcessWasNotRead) {
  const Finding finding = finding_of_text(waiting_loop("process p0 cores=2\n"), "core_contention");
  EXPECT_TRUE(finding.is_of_machine());
  EXPECT_THAT(
      finding.title,
      HasSubstr("other threads or processes (or a virtual machine's host) had the 2 cores"));
  EXPECT_THAT(finding.title, Not(HasSubstr("of which")));
}

}  // namespace
}  // namespace stepscope::testing
