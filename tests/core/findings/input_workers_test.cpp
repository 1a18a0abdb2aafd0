// SPDX-License-Identifier: Apache-2.0
// A loop that waits for a loader whose worker computes all the time: what it is advised depends on
// whether one more worker would find a core. Times are in us.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/model/events.hpp"
#include "tests/core/findings/finding_of_text.hpp"

namespace stepscope::testing {
namespace {

constexpr int kSteps = 8, kStep = 10'000, kTake = 7'000;

// The worker makes a batch in each step, and is seen at it four times.
void write_worker(std::ostream& out) {
  for (int time = 0; time <= kSteps * kStep; time += kStep / 4)
    out << "sample t3 " << time << " at=data.py:5 cpu=" << time
        << " flags=" << (kSampleWorker | kSampleFetching | kSampleRan) << "\ncounter thread_wait.3 "
        << time << " 0\n";
}

std::string waiting_loop(int cores, bool sees_worker = true) {
  std::ostringstream out;
  out << "process p0 cores=" << cores << "\nno_device\nrepeat " << kSteps << " host=" << kStep
      << " device=" << kStep << "\nstep 0 " << kStep << "\nscope t1 0 " << kTake
      << " \"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__\"\nop t1 " << kTake
      << ' ' << kStep << " aten::mm at=train.py:12\nend\n";
  if (sees_worker) write_worker(out);
  out << "expect found input_starvation train.py:12\n";
  return out.str();
}

Finding advice_on(int cores) {
  return finding_of_text(waiting_loop(cores), "input_starvation");
}

TEST(InputWorkers, AreMoreWhereCoresAreFree) {
  const Finding finding = advice_on(8);
  EXPECT_THAT(finding.fix, ::testing::HasSubstr("more workers make the input"));
  EXPECT_THAT(finding.code_hint, ::testing::HasSubstr("num_workers=4"));
}

std::string with_idle_worker(std::string text) {
  std::ostringstream idle;
  for (int time = 100; time <= kSteps * kStep; time += kStep / 4)
    idle << "sample t3 " << time << " flags=" << (int{kSampleWorker} | int{kSampleSlept}) << '\n';
  return text.insert(text.find("expect"), idle.str());
}

// What the loop waits for is packed, sent or pinned by threads beside the workers' own.
TEST(InputWorkers, ThatHardlyWorkMeanwhileAreNoMore) {
  const Finding finding =
      finding_of_text(with_idle_worker(waiting_loop(8, false)), "input_starvation");
  EXPECT_THAT(finding.title, ::testing::HasSubstr("what it waits for is on its way"));
  EXPECT_THAT(finding.fix, ::testing::HasSubstr("fewer and larger tensors"));
  EXPECT_TRUE(finding.fixes.empty());
}

// torch.profiler names the loader's class, and records nothing of its workers.
// Fewer tensors are advised for 7,000 us at most, without a forecast: half of that is what others compete with.
TEST(InputWorkers, AdviceWithoutAForecastStandsByHalfOfItsCeiling) {
  constexpr int kLongStep = 2 * kStep;
  const auto first_beside = [](int asleep) {
    std::ostringstream out;
    out << "process p0 cores=8\nno_device\nrepeat 4 host=" << kLongStep << " device=" << kLongStep
        << "\nstep 0 " << kLongStep << "\nscope t1 0 " << kTake
        << " \"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__\"\noff_cpu t1 "
        << kTake << ' ' << kTake + asleep << " sleep at=train.py:20\nop t1 " << kTake + asleep
        << ' ' << kLongStep
        << " aten::mm at=train.py:12\nend\nexpect found input_starvation train.py:12\n";
    return all_findings_of_text(with_idle_worker(out.str())).front().id;
  };
  EXPECT_EQ(first_beside(3'000), "input_starvation");
  EXPECT_EQ(first_beside(4'500), "host_gap");
}

TEST(InputWorkers, WhoseNumberIsUnknownAreTwiceAsMany) {
  const Finding finding = finding_of_text(waiting_loop(8, false), "input_starvation");
  EXPECT_THAT(finding.title, ::testing::HasSubstr("the loop waits for its input"));
  EXPECT_THAT(finding.code_hint, ::testing::HasSubstr("num_workers=2 * workers_now"));
}

TEST(InputWorkers, AreNotAskedForWhereTheyWouldFindNoCore) {
  const Finding finding = advice_on(2);
  EXPECT_THAT(finding.fix, ::testing::HasSubstr("more workers would find no core"));
  EXPECT_THAT(finding.code_hint, ::testing::Not(::testing::HasSubstr("num_workers")));
}

// Eight cores for eight ranks are one for each.
TEST(InputWorkers, FindTheCoresOfTheirRankAlone) {
  std::string text = waiting_loop(8);
  text.insert(text.find("\n"), " local_ranks=8");
  const Finding finding = finding_of_text(text, "input_starvation");
  EXPECT_THAT(finding.fix, ::testing::HasSubstr("more workers would find no core"));
  EXPECT_THAT(finding.title, ::testing::HasSubstr("8 cores for all of its ranks"));
}

// A loader without workers takes 7 ms of each step, of which code that it called takes `chosen`, and
// the dataset the rest.
Finding advice_on_sampler(int chosen) {
  std::ostringstream out;
  out << "process p0 cores=8\nno_device\nrepeat " << kSteps << " host=" << kStep
      << " device=" << kStep << "\nstep 0 " << kStep << "\nscope t1 0 " << kTake
      << " \"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__\"\nop t1 " << kTake << ' '
      << kStep << " aten::mm at=train.py:12\nend\n";
  for (int step = 0; step < kSteps; ++step)
    for (const auto& [at, flags] :
         {std::pair{0, int{kSampleInLoader} | int{kSampleSlept}},
          {chosen, int{kSampleInLoader} | int{kSampleFetching} | int{kSampleSlept}},
          {kTake, int{kSampleRan}}})
      out << "sample t1 " << step * kStep + at
          << " at=data.py:5 function=Source.__iter__ flags=" << flags << '\n';
  out << "expect found input_starvation data.py:5\n";
  return finding_of_text(out.str(), "input_starvation");
}

// On two cores, a loader without workers computes for `making` us of each step, in that function.
Finding advice_without_workers(int making, const std::string& function = "Images.__getitem__",
                               const std::string& clocks = "") {
  std::ostringstream out;
  out << "process p0 cores=2\nno_device\nrepeat " << kSteps << " host=" << kStep
      << " device=" << kStep << "\nstep 0 " << kStep << "\nscope t1 0 " << making
      << " \"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__\"\nop t1 " << making << ' '
      << kStep << " aten::mm at=train.py:12\nend\n";
  for (int step = 0; step < kSteps; ++step)
    for (const auto& [at, flags] :
         {std::pair{0, int{kSampleInLoader} | int{kSampleFetching} | int{kSampleRan}},
          {making, int{kSampleRan}}})
      out << "sample t1 " << step * kStep + at << " at=data.py:5 function=" << function
          << " cpu=" << step * kStep + at << " flags=" << flags << '\n';
  out << clocks << "expect found input_starvation data.py:5\n";
  return finding_of_text(out.str(), "input_starvation");
}

TEST(InputWorkers, AreAsManyAsCoresKeepUpWhereTheRestOfTheStepIsShort) {
  EXPECT_THAT(advice_without_workers(8'500).code_hint, ::testing::HasSubstr("num_workers=2"));
  EXPECT_THAT(advice_without_workers(3'000).code_hint, ::testing::HasSubstr("num_workers=1"));
}

// The other threads of the process compute for `beside` us of each step's operations.
std::string operations_on_all_cores(int beside) {
  std::ostringstream out;
  out << "counter process_cpu 0 5\ncounter process_cpu " << kSteps * kStep << ' '
      << 5 + 1'000LL * kSteps * (kStep + beside) << '\n';
  return out.str();
}

TEST(InputWorkers, FindNoCoreWhereOperationsHaveThemAll) {
  const std::string loops = "cpu t1 0 1\ncpu t1 80000 80001\n";
  const Finding alone =
      advice_without_workers(3'000, "Images.__getitem__", loops + operations_on_all_cores(0));
  EXPECT_THAT(alone.code_hint, ::testing::HasSubstr("num_workers=1"));
  const Finding finding =
      advice_without_workers(3'000, "Images.__getitem__", loops + operations_on_all_cores(6'000));
  EXPECT_THAT(finding.fix, ::testing::HasSubstr("more workers would find no core"));
  EXPECT_THAT(finding.code_hint, ::testing::Not(::testing::HasSubstr("num_workers")));
}

TEST(InputWorkers, DoNotPayForABatchThatIsAsQuickAsTakingOne) {
  const Finding finding = advice_without_workers(1'200);
  EXPECT_THAT(finding.fix, ::testing::HasSubstr("a worker would not pay"));
  EXPECT_THAT(finding.code_hint, ::testing::Not(::testing::HasSubstr("num_workers")));
  ASSERT_EQ(finding.fixes.size(), 1U);
  EXPECT_EQ(finding.fixes[0].kind, FixKind::scale_work);
  EXPECT_EQ(finding.fixes[0].factor, 0.5);
}

TEST(InputWorkers, DoNotChooseTheSamples) {
  const Finding finding = advice_on_sampler(5'000);
  EXPECT_THAT(finding.title, ::testing::HasSubstr("for 71 % of that a sampler chooses"));
  EXPECT_THAT(finding.fix, ::testing::HasSubstr("choose the samples faster"));
  EXPECT_THAT(finding.code_hint, ::testing::Not(::testing::HasSubstr("num_workers")));
  ASSERT_EQ(finding.fixes.size(), 1U);
  EXPECT_EQ(finding.fixes[0].kind, FixKind::scale_work);
}

TEST(InputWorkers, OfAnIterableDatasetTakeAShareEach) {
  const Finding finding = advice_on_sampler(1'000);
  EXPECT_THAT(finding.code_hint, ::testing::HasSubstr("num_workers=4"));
  EXPECT_THAT(finding.code_hint, ::testing::HasSubstr("get_worker_info"));
}

// Two ranks on two cores have one each. What a worker sleeps leaves it to the loop.
TEST(InputWorkers, ThatSleepNeedNoCoreOfTheirOwn) {
  std::string text = waiting_loop(2, false);
  text.insert(text.find('\n'), " local_ranks=2");
  std::ostringstream worker;
  for (int time = 0; time <= kSteps * kStep; time += kStep / 4)
    worker << "sample t3 " << time << " at=data.py:5 cpu=" << time / 10
           << " flags=" << (int{kSampleWorker | kSampleFetching} | int{kSampleSlept})
           << "\ncounter thread_wait.3 " << time << " 0\n";
  text.insert(text.find("expect"), worker.str());
  const Finding finding = finding_of_text(text, "input_starvation");
  EXPECT_THAT(finding.title, ::testing::HasSubstr("making it computes for 10 % of its time"));
  EXPECT_THAT(finding.code_hint, ::testing::HasSubstr("num_workers=4"));
}

// More workers are no part of the advice then, and none of the forecast.
TEST(InputWorkers, WithoutACoreForMoreTheForecastIsOfHalfTheInput) {
  const Finding finding = advice_on(2);
  EXPECT_THAT(finding.fix, ::testing::HasSubstr("half of it in the forecast"));
  ASSERT_EQ(finding.fixes.size(), 1U);
  EXPECT_EQ(finding.fixes[0].kind, FixKind::scale_work);
  EXPECT_EQ(finding.fixes[0].scope.cause, Cause::host_data_wait);
  EXPECT_EQ(finding.fixes[0].factor, 0.5);
}

}  // namespace
}  // namespace stepscope::testing
