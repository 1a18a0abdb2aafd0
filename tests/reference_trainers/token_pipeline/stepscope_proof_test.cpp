// SPDX-License-Identifier: Apache-2.0
// What stepscope says of the trainer: the report names the loop that makes tensors, at its lines;
// the ladder measures its fixes; the gate catches the fix that is taken back. Operations are
// counted exactly; times of a test machine that other tests share are not judged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

const std::string kTrain = TRAIN_TOKEN_PIPELINE " --device cpu --steps 20";

TEST(TokenPipelineProof, TheReportNamesTheLoopThatMakesTensors) {
  const Folder folder;
  const RunOutcome recorded =
      run_stepscope("profile --native-lines -o " + folder.at("r0") + " -- " + kTrain);
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  const RunOutcome report = run_stepscope("report --format json " + folder.at("r0.scope"));
  const auto json = nlohmann::json::parse(report.out, nullptr, false);
  std::string found;
  for (const auto& finding : json["findings"])
    if (finding["id"] == "launch_bound") found = finding["file"].get<std::string>();
  EXPECT_THAT(found, HasSubstr("model/embedding.cpp")) << json["findings"].dump(1);
}

TEST(TokenPipelineProof, TheLadderMeasuresFixesThatTrainTheSame) {
  const RunOutcome ladder = run_stepscope(
      "ladder token_pipeline --rungs R0,R1,R7 -n 1 --steps 8 --device cpu --no-profile --format "
      "json --loss-tolerance 1e-5");
  EXPECT_EQ(ladder.status, 0) << ladder.err;
  const auto json = nlohmann::json::parse(ladder.out, nullptr, false);
  ASSERT_EQ(json["rungs"].size(), 3U) << ladder.out;
  EXPECT_EQ(json["rungs"][1]["name"], "vectorised");
}

TEST(TokenPipelineProof, TheGateCatchesAFixThatIsTakenBack) {
  const Folder folder;
  const std::string policy = folder.at("policy.json");
  write_file(policy, R"({"schema": "stepscope.policy/1", "metrics": ["cpu_ops"]})");
  const RunOutcome gate = run_stepscope(
      "gate run --level standard --inconclusive pass --format json -n 1 --policy " + policy +
      " --baseline-cmd '" + kTrain + " --variant optimized' --candidate-cmd '" + kTrain +
      " --variant optimized --without vectorised'");
  EXPECT_EQ(gate.status, 1) << gate.out << gate.err;
  EXPECT_THAT(gate.out, HasSubstr("embed"));
}

}  // namespace
}  // namespace stepscope
