// SPDX-License-Identifier: Apache-2.0
// gate run from the outside: records a small program in turns. Its steps sleep, so that a busy
// machine changes them little; what is planted is twenty times as slow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string commands(const std::string& baseline, const std::string& candidate) {
  return " --baseline-cmd '" STEPSCOPE_STEPS " " + baseline +
         "' --candidate-cmd '" STEPSCOPE_STEPS " " + candidate + "' ";
}

TEST(GateRun, APlantedSlownessIsARegressionAndRunsAreInTurns) {
  const RunOutcome run =
      run_stepscope("gate run -n 3 --level standard --format json" + commands("10 2", "10 40"));
  ASSERT_EQ(run.status, 1) << run.err;
  const auto verdict = nlohmann::json::parse(run.out);
  EXPECT_EQ(verdict["metrics"][0]["name"], "step_time");
  EXPECT_GT(verdict["metrics"][0]["ratio"].get<double>(), 2);
  EXPECT_EQ(verdict["baseline"].size(), 3U);
  const auto at = [&](const char* turn) { return run.err.find(turn); };
  EXPECT_LT(at("baseline.1"), at("candidate.1"));
  EXPECT_LT(at("candidate.2"), at("baseline.2"));
  EXPECT_LT(at("baseline.3"), at("candidate.3"));
  EXPECT_THAT(run.out, Not(HasSubstr("slept"))) << "what a command prints is no report";
}

TEST(GateRun, TheSameProgramIsNoRegression) {
  const RunOutcome run = run_stepscope("gate run -n 3 --level standard" + commands("12 6", "12 6"));
  EXPECT_NE(run.status, 1) << run.out << run.err;
  EXPECT_THAT(run.err, HasSubstr("6 of 6"));
}

TEST(GateRun, KeepsTracesReportsAndOutputsWhereAsked) {
  const Folder folder;
  run_stepscope("gate run -n 1 --level standard --keep " + folder.at("kept") +
                commands("5 1", "5 1"));
  for (const char* name : {"baseline.1.json", "candidate.1.json", "baseline.1.scope/run.json"})
    EXPECT_TRUE(std::filesystem::exists(folder.at("kept") + "/" + name)) << name;
  EXPECT_THAT(read_file(folder.at("kept") + "/candidate.1.log"), HasSubstr("slept"));
  const RunOutcome again =
      run_stepscope("gate --baseline " + folder.at("kept") + "/baseline.1.json --candidate " +
                    folder.at("kept") + "/candidate.1.json");
  EXPECT_EQ(again.status, 3) << again.err;
}

TEST(GateRun, AFolderThatHoldsEarlierRunsIsRefused) {
  const Folder folder;
  const std::string keep = "gate run -n 1 --keep " + folder.at("kept");
  run_stepscope(keep + commands("5 1", "5 1"));
  const RunOutcome again = run_stepscope(keep + commands("5 1", "5 40"));
  EXPECT_EQ(again.status, 4) << again.out;
  EXPECT_THAT(again.err, HasSubstr("baseline.1.scope"));
  EXPECT_THAT(again.err, HasSubstr("of an earlier run"));
}

TEST(GateRun, ATerminationEndsTheCommandAndLeavesNoFolder) {
  const Folder folder;
  const std::string command =
      "TMPDIR=" + folder.path().string() +
      " " STEPSCOPE_BINARY_DIR "/cli/stepscope gate run -n 1 --baseline-cmd 'touch " +
      folder.at("began") + "; sleep 60; touch " + folder.at("went_on") +
      "' --candidate-cmd true 2>" + folder.at("err") + " & gate=$!; while ! [ -e " +
      folder.at("began") + " ]; do sleep 0.05; done; kill $gate; wait $gate";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_THAT(read_file(folder.at("err")), HasSubstr("interrupted after 0 of 2 runs"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("stepscope-gate")));
}

TEST(GateRun, WhatCannotBeWrittenIsSaidBeforeTheRuns) {
  const Folder folder;
  const std::string ran = folder.at("ran");
  const RunOutcome run = run_stepscope("gate run -n 1 --junit " + folder.at("missing/j.xml") +
                                       " --baseline-cmd 'touch " + ran + "' --candidate-cmd true");
  EXPECT_EQ(run.status, 4);
  EXPECT_FALSE(std::filesystem::exists(ran));
}

TEST(GateRun, ACommandThatFailsEndsItWithWhatItPrinted) {
  const RunOutcome run = run_stepscope("gate run -n 2" + commands("3 1", "3 1 7"));
  EXPECT_EQ(run.status, 4);
  EXPECT_THAT(run.err, HasSubstr("candidate.1: the command"));
  EXPECT_THAT(run.err, HasSubstr("ended with 7; it printed: "));
  EXPECT_THAT(run.err, HasSubstr("slept"));
  EXPECT_EQ(run_stepscope("gate run --baseline-cmd true").status, 2);
  EXPECT_EQ(run_stepscope("gate run -n 0" + commands("3 1", "3 1")).status, 2);
}

}  // namespace
}  // namespace stepscope
