// SPDX-License-Identifier: Apache-2.0
// The ladder's runs with a trainer of a few lines of shell in the place of a real one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/programs/ladder_plans.hpp"
#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<RungName> kThree = {
    {"R0", "naive", ""}, {"R1", "tf32", ""}, {"R2", "broken", ""}};

std::vector<std::string> ids_of(const std::vector<RungName>& rungs) {
  std::vector<std::string> out;
  for (const RungName& rung : rungs) out.push_back(rung.id);
  return out;
}

TEST(ChooseRungs, TakesRangesListsAndNames) {
  EXPECT_THAT(ids_of(*choose_rungs(kThree, "")), ElementsAre("R0", "R1", "R2"));
  EXPECT_THAT(ids_of(*choose_rungs(kThree, "R0..R1")), ElementsAre("R0", "R1"));
  EXPECT_THAT(ids_of(*choose_rungs(kThree, "R2,tf32")), ElementsAre("R2", "R1"));
}

TEST(ChooseRungs, SaysWhatIsWrong) {
  EXPECT_THAT(choose_rungs(kThree, "R0..R9").error().message,
              HasSubstr("'R9' is no rung; there are: R0 naive, R1 tf32, R2 broken"));
  EXPECT_THAT(choose_rungs(kThree, "R2..R0").error().message, HasSubstr("R2 stands above R0"));
}

std::vector<std::string> arguments_of(const std::vector<PlannedRun>& runs) {
  std::vector<std::string> out;
  for (const PlannedRun& run : runs) out.push_back(run.arguments);
  return out;
}

const std::vector<RungName> kFour = {
    {"R0", "naive", ""}, {"R1", "tf32", ""}, {"R2", "bf16", ""}, {"R3", "sdpa", ""}};

TEST(PlanOrders, RunsEverySubsetOnTheRungBelowTheFirst) {
  const auto plan = plan_orders(kFour, "sdpa,R2", "");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->base.id, "R1");
  EXPECT_THAT(ids_of(plan->rungs), ElementsAre("R2", "R3"));
  EXPECT_THAT(arguments_of(runs_of(*plan)),
              ElementsAre("--rung R1", "--rung R1 --with bf16", "--rung R1 --with sdpa",
                          "--rung R1 --with bf16,sdpa"));
  EXPECT_EQ(runs_of(*plan)[3].rung.id, "R1+bf16+sdpa");
  EXPECT_EQ(plan_orders(kFour, "sdpa,R2", "naive")->base.id, "R0");
}

TEST(PlanOrders, SaysWhatIsWrong) {
  const auto message = [](const char* names, const char* base) {
    const auto plan = plan_orders(kFour, names, base);
    return plan ? "no error" : plan.error().message;
  };
  EXPECT_THAT(message("R1", ""), HasSubstr("--shapley R1: takes 2 to 6 rungs"));
  EXPECT_THAT(message("R1,tf32", ""), HasSubstr("takes 2 to 6 rungs"));
  EXPECT_THAT(message("R0,R1", ""), HasSubstr("R0 is the start"));
  EXPECT_THAT(message("R1,R9", ""), HasSubstr("--shapley: 'R9' is no rung"));
  EXPECT_THAT(message("R1,R2", "R2"), HasSubstr("--rungs R2: has R1 on already"));
  EXPECT_THAT(message("R1,R2", "R0..R1"), HasSubstr("'R0..R1' is no rung"));
  auto needy = kFour;
  needy[3].needs = "tf32";
  EXPECT_THAT(
      plan_orders(needy, "R1,R3", "").error().message,
      HasSubstr("sdpa takes tf32 along, so that their shares could not be separated; begin at a "
                "rung that has it: --rungs R1 or one above"));
  EXPECT_TRUE(plan_orders(needy, "R2,R3", ""));
}

TEST(PlanSweep, RunsEachRungAtEachMicroBatchAndPutsThemTogetherAgain) {
  const std::vector<RungName> two = {kFour[0], kFour[2]};
  const auto runs = runs_of_sweep(two, {1, 8});
  EXPECT_THAT(arguments_of(runs),
              ElementsAre("--rung R0 --micro-batch 1", "--rung R2 --micro-batch 1",
                          "--rung R0 --micro-batch 8", "--rung R2 --micro-batch 8"));
  std::vector<RungRuns> made;
  for (const PlannedRun& run : runs) made.push_back({.rung = run.rung, .failure = run.arguments});
  const auto sweep = by_micro_batch(two, {1, 8}, made);
  ASSERT_EQ(sweep.size(), 2U);
  EXPECT_EQ(sweep[1].micro_batch, 8);
  EXPECT_EQ(sweep[1].rungs[1].rung.id, "R2");
  EXPECT_EQ(sweep[1].rungs[1].failure, "--rung R2 --micro-batch 8");
}

// Answers --rung R0 and R1; R2 runs out of memory.
std::string written_trainer(const Folder& folder) {
  const std::string path = folder.at("a trainer's program");
  std::ofstream(path) << R"(#!/bin/sh
echo "$2" >> "$(dirname "$0")/order"
if [ "$2" = R2 ]; then echo "out of memory at rungs R2" >&2; exit 1; fi
echo 'step 1' >&2
echo '{"schema":"stepscope.train/1","rung":"'$2'","tokens_per_s":100,"ms_per_step":10,"tokens_a_step":1,"timed_steps":1,"losses":[1]}'
)";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(RunLadder, RepeatsInTurnsAndLeavesOutWhatFails) {
  const Folder folder;
  LadderPlan plan;
  plan.program = written_trainer(folder);
  plan.runs = runs_of_rungs(kThree);
  plan.repeats = 2;
  plan.profiles = false;
  const auto work = WorkFolder::make(folder.at("work"), "unused");
  ASSERT_TRUE(work) << work.error().message;
  std::vector<std::string> told;
  const auto runs =
      run_ladder(plan, *work, [&](const std::string& line) { told.push_back(line); }).rungs;
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].runs.size(), 2U);
  EXPECT_EQ(runs[1].runs[1].rung, "R1");
  EXPECT_THAT(runs[2].runs, IsEmpty());
  EXPECT_THAT(runs[2].failure, HasSubstr("out of memory at rungs R2"));
  EXPECT_EQ(read_file(folder.at("order")), "R0\nR1\nR2\nR1\nR0\n");
  EXPECT_EQ(told.size(), 5U);
}

// The trainer interrupts the ladder, this process, in its fourth run.
TEST(RunLadder, WhatWasMeasuredBeforeAnInterruptionIsKeptAndGoneOnFrom) {
  const Folder folder;
  LadderPlan plan;
  plan.program = folder.at("trainer");
  std::ofstream(plan.program) << R"sh(#!/bin/sh
echo "$2" >> "$(dirname "$0")/order"
if [ "$(wc -l < "$(dirname "$0")/order")" = 4 ]; then kill -INT "$3"; exec sleep 60; fi
echo '{"schema":"stepscope.train/1","rung":"'$2'","tokens_per_s":100,"ms_per_step":10,"tokens_a_step":1,"timed_steps":1,"losses":[1]}'
)sh";
  std::filesystem::permissions(plan.program, std::filesystem::perms::owner_all);
  plan.arguments = " " + std::to_string(getpid());
  plan.runs = runs_of_rungs({kThree[0], kThree[1]});
  plan.repeats = 3;
  plan.profiles = false;
  const auto work = WorkFolder::make(folder.at("work"), "unused");
  ASSERT_TRUE(claim_folder(plan, *work));
  const auto quiet = [](const std::string&) {};
  const LadderRuns first = run_ladder(plan, *work, quiet);
  EXPECT_TRUE(first.interrupted);
  EXPECT_EQ(first.rungs[0].runs.size() + first.rungs[1].runs.size(), 3U);
  EXPECT_EQ(first.rungs[0].failure + first.rungs[1].failure, "");
  plan.resume = true;
  ASSERT_TRUE(claim_folder(plan, *work));
  const LadderRuns second = run_ladder(plan, *work, quiet);
  EXPECT_FALSE(second.interrupted);
  EXPECT_EQ(second.rungs[0].runs.size(), 3U);
  EXPECT_EQ(second.rungs[1].runs.size(), 3U);
  EXPECT_EQ(read_file(folder.at("order")), "R0\nR1\nR1\nR0\nR0\nR0\nR1\n");
}

TEST(RunLadder, AFolderOfAnotherCommandIsNotGoneOnFrom) {
  const Folder folder;
  LadderPlan plan{.program = "a", .arguments = " --steps 5", .runs = {}};
  const auto work = WorkFolder::make(folder.at("work"), "unused");
  plan.resume = true;
  EXPECT_THAT(claim_folder(plan, *work).error().message, HasSubstr("holds no runs of a ladder"));
  plan.resume = false;
  ASSERT_TRUE(claim_folder(plan, *work));
  EXPECT_THAT(claim_folder(plan, *work).error().message, HasSubstr("of an earlier ladder"));
  plan.resume = true;
  plan.arguments = " --steps 6";
  EXPECT_THAT(claim_folder(plan, *work).error().message, HasSubstr("of another command"));
}

TEST(LadderVerb, OrdersAndASweepAreOneOrTheOther) {
  const RunOutcome run = run_stepscope("ladder llm --shapley R1,R2 --micro-batches 1,2");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--shapley"));
}

TEST(LadderVerb, AModelThatIsNoneIsRefused) {
  const RunOutcome run = run_stepscope("ladder no_model");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("llm"));
  EXPECT_THAT(run.err, HasSubstr("token_pipeline"));
}

}  // namespace
}  // namespace stepscope
