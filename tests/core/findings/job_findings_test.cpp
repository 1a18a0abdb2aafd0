// SPDX-License-Identifier: Apache-2.0
// What a job's findings promise, from a hand-made summary: 10 steps of 50 ms on two ranks, of which
// rank 0 waits 12 ms for rank 1 and both compute for 36.
#include <gtest/gtest.h>

#include <cmath>

#include "core/findings/all_findings.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kStepNs = 50'000'000, kWaitNs = 12'000'000, kBusyNs = 36'000'000;
constexpr std::int64_t kSteps = 10, kRanks = 2;

Summary late_job() {
  Summary out;
  out.partition.steps_counted = kSteps * kRanks;
  out.partition.wall_ns_total = kSteps * kRanks * kStepNs;
  out.partition.device_busy_ns_total = kSteps * kRanks * kBusyNs;
  JobFacts job;
  job.world_size = kRanks;
  job.steps_counted = kSteps;
  job.wall_ns_total = kSteps * kStepNs;
  job.ranks.resize(kRanks);
  JobRank& late = job.ranks[1];
  late.rank = 1;
  late.is_late = true;
  late.costs_ns_total = late.gain_ns_total = kSteps * kWaitNs;
  late.gain_error_ns = 100'000;
  late.reasons.push_back({.cause = Cause::host_python, .ns_total = late.costs_ns_total});
  out.job = job;
  return out;
}

DeviceHealth card(double limit_w) {
  DeviceHealth out;
  out.reasons.push_back({.id = "power_cap", .share = 0.6});
  out.power_limit_w = limit_w;
  out.default_power_limit_w = 700;
  return out;
}

Finding finding_of(const Summary& job) {
  const Findings found = find_in_job(job, {}, 1, {}, "");
  EXPECT_EQ(found.found.size(), 1U);
  return found.found.front();
}

Forecast forecast_of(const Summary& job) {
  return *finding_of(job).forecast;
}

TEST(JobFindings, BalancingGivesWhatTheOthersWait) {
  const Forecast forecast = forecast_of(late_job());
  EXPECT_EQ(forecast.ns_per_step, kStepNs - kWaitNs);
  const double error = std::hypot(100'000, 0.1 * kWaitNs);
  EXPECT_DOUBLE_EQ(forecast.low_ns_per_step, kStepNs - kWaitNs - error);
  EXPECT_DOUBLE_EQ(forecast.high_ns_per_step, kStepNs - kWaitNs + error);
  EXPECT_EQ(forecast.assumptions.size(), 1U);
}

TEST(JobFindings, DevicesAtTheirPowerLimitMayTakeSomeOfTheGain) {
  Summary job = late_job();
  job.device_health.push_back(card(700));
  const Forecast forecast = forecast_of(job);
  EXPECT_EQ(forecast.ns_per_step, kStepNs - kWaitNs);
  // 36 ms at a clock that is lower by the cube root of 38 / 50.
  EXPECT_NEAR(forecast.high_ns_per_step,
              kStepNs - kWaitNs + std::hypot(100'000, 0.1 * kWaitNs) + 3'449'000, 1'000);
  EXPECT_EQ(forecast.assumptions.size(), 2U);
  EXPECT_NE(finding_of(job).title.find("takes up to 3.45 ms of the gain"), std::string::npos)
      << finding_of(job).title;
}

// A limit that somebody lowered, or a reason beside it, is clock_change's matter.
// Half of each step is communication, in `messages` sums a step.
Finding transfers_of(std::uint64_t messages, const std::string& operation) {
  Summary job = late_job();
  job.job->ranks[1].is_late = false;
  job.job->ranks[0].transfer_ns_total = kSteps * kRanks * kStepNs / 2;
  job.counts = {{.name = "cpu_ops",
                 .places = {{.operation = operation, .total = kSteps * kRanks * messages}}}};
  return finding_of(job);
}

TEST(JobFindings, ManySmallMessagesAreToBeOne) {
  const Finding many = transfers_of(14, "c10d::allreduce_");
  EXPECT_NE(many.title.find("; 14 messages a step"), std::string::npos) << many.title;
  EXPECT_NE(many.fix.find("one flat tensor"), std::string::npos) << many.fix;
  EXPECT_NE(transfers_of(2, "c10d::allreduce_").fix.find("smaller gradient buckets"),
            std::string::npos);
  EXPECT_NE(transfers_of(14, "aten::add_").fix.find("smaller gradient buckets"), std::string::npos);
}

TEST(JobFindings, WaitsForSingleRanksAreNotCleared) {
  Summary job = late_job();
  job.job->ranks[1].is_late = false;
  job.lines = {{.cause = Cause::comm_wait, .ns_total = kSteps * kRanks * kStepNs / 4}};
  const Findings found = find_in_job(job, {}, 1, {}, "");
  ASSERT_EQ(found.abstained.size(), 1U);
  EXPECT_NE(found.abstained[0].reason.find("12.5 ms a step (25 %) for messages"), std::string::npos)
      << found.abstained[0].reason;
}

TEST(JobFindings, LargeMessagesAreNoMatterOfTheirNumber) {
  Summary job = late_job();
  job.job->ranks[1].is_late = false;
  job.job->ranks[0].transfer_ns_total = kSteps * kRanks * kStepNs / 2;
  TransferRow row{.operation = "AllReduce"};
  row.calls_total = kSteps * kRanks * 20;
  row.bytes_total = row.calls_total * 25'000'000;
  job.transfers = {row};
  EXPECT_NE(finding_of(job).fix.find("smaller gradient buckets"), std::string::npos);
}

TEST(JobFindings, OtherLimitsDoNotWidenTheGain) {
  Summary job = late_job();
  job.device_health.push_back(card(500));
  EXPECT_EQ(forecast_of(job).assumptions.size(), 1U);
}

// ---- what one rank's finding gives the job -----------------------------------------------------
constexpr std::int64_t kWorkNs = 48'000'000;

// Rank 1 spends 20 ms a step at train.py:7, and rank 0 `other_ns`; rank 1 works for 48 ms of the step.
std::vector<Summary> ranks_at_line(std::int64_t other_ns) {
  std::vector<Summary> out(kRanks);
  for (std::int32_t r = 0; r < kRanks; ++r) {
    out[static_cast<std::size_t>(r)].run.rank = r;
    out[static_cast<std::size_t>(r)].partition.steps_counted = kSteps;
    out[static_cast<std::size_t>(r)].lines.push_back(
        {.file = "train.py",
         .line = 7,
         .cause = Cause::host_python,
         .ns_total = kSteps * (r == 1 ? 20'000'000 : other_ns)});
  }
  return out;
}

Summary job_that_works(std::int64_t work_of_rank_0, std::int64_t late_by) {
  Summary out = late_job();
  out.job->ranks[0].work_ns_total = kSteps * work_of_rank_0;
  out.job->ranks[1].work_ns_total = kSteps * kWorkNs;
  out.job->ranks[1].is_late = late_by > 0;
  out.job->ranks[1].gain_ns_total = kSteps * late_by;
  return out;
}

Finding limited(const Summary& job, const std::vector<Summary>& ranks) {
  Finding out;
  out.places.push_back({.file = "train.py", .line = 7, .caused_ns_per_step = 20e6});
  out.forecast = Forecast{.ns_per_step = kStepNs - 20'000'000,
                          .low_ns_per_step = kStepNs - 24'000'000,
                          .high_ns_per_step = kStepNs - 16'000'000};
  limit_to_job(job, ranks, 1, out);
  return out;
}

TEST(JobGain, WhatOneRankAloneDoesGivesWhatTheOthersWait) {
  const Finding found = limited(job_that_works(36'000'000, 12'000'000), ranks_at_line(0));
  EXPECT_DOUBLE_EQ(found.forecast->ns_per_step, kStepNs - 12'000'000);
  const double error = std::hypot(100'000, 0.1 * 12'000'000);
  EXPECT_DOUBLE_EQ(found.forecast->low_ns_per_step, kStepNs - 12'000'000 - error);
  EXPECT_DOUBLE_EQ(found.forecast->high_ns_per_step, kStepNs - 12'000'000 + error);
  EXPECT_EQ(found.no_gain, "");
}

TEST(JobGain, WhatAllRanksDoGivesAllOfIt) {
  const Finding found = limited(job_that_works(kWorkNs, 0), ranks_at_line(20'000'000));
  EXPECT_DOUBLE_EQ(found.forecast->ns_per_step, kStepNs - 20'000'000);
  EXPECT_TRUE(found.forecast->assumptions.empty());
}

TEST(JobGain, HalfOfItInAnotherRankGivesHalfOfItThere) {
  const Finding found = limited(job_that_works(kWorkNs, 0), ranks_at_line(10'000'000));
  EXPECT_DOUBLE_EQ(found.forecast->ns_per_step, kStepNs - 10'000'000);
}

TEST(JobGain, ARankThatNobodyWaitsForGivesNothing) {
  const Finding found = limited(job_that_works(49'000'000, 0), ranks_at_line(0));
  EXPECT_NE(found.no_gain.find("rank 0 works for as long"), std::string::npos) << found.no_gain;
}

TEST(JobGain, WhatGivesTheJobNothingIsListedAsSuch) {
  Findings of_rank;
  Finding finding;
  finding.places.push_back({.file = "train.py", .line = 7, .caused_ns_per_step = 20e6});
  finding.forecast = Forecast{.ns_per_step = kStepNs / 2};
  of_rank.found.push_back(finding);
  const Findings found =
      find_in_job(job_that_works(49'000'000, 0), ranks_at_line(0), 1, of_rank, "");
  ASSERT_EQ(found.no_gain.size(), 1U);
  EXPECT_EQ(found.found.size(), 0U);
}

TEST(JobFindings, WhatIsAboutTheMachineStandsFirst) {
  Findings of_rank;
  of_rank.found.push_back({.id = "core_contention"});
  const Findings found = find_in_job(late_job(), {}, 1, of_rank, "");
  ASSERT_EQ(found.found.size(), 2U);
  EXPECT_EQ(found.found.front().id, "core_contention") << "the others leave its time out";
}

}  // namespace
}  // namespace stepscope
