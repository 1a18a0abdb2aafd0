// SPDX-License-Identifier: Apache-2.0
// What stepscope says of the trainer on a CPU: the report knows its phases, the ladder measures its
// fixes, the diff adds up, and the gate catches the fix that is taken back. Operations are counted
// exactly; times of a test machine that other tests share are not judged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;

const std::string kTrainPolychromic = TRAIN_POLYCHROMIC " --device cpu --steps 12";

nlohmann::json json_of(const std::string& words) {
  const RunOutcome outcome = run_stepscope(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

TEST(PolychromicProof, ReportAndDiffKnowThePhases) {
  const Folder folder;
  for (const std::string variant : {"baseline", "optimized"}) {
    const RunOutcome recorded = run_stepscope("profile --native-lines -o " + folder.at(variant) +
                                              " -- " + kTrainPolychromic + " --variant " + variant);
    ASSERT_EQ(recorded.status, 0) << recorded.err;
  }
  const auto report = json_of("report --format json " + folder.at("baseline.scope"));
  std::vector<std::string> phases;
  for (const auto& phase : report["phases"]) phases.push_back(phase["phase"].get<std::string>());
  EXPECT_THAT(phases,
              IsSupersetOf({"generate", "encode", "diversity", "loss", "backward", "optimizer"}));
  const RunOutcome diff =
      run_stepscope("diff " + folder.at("baseline.scope") + " " + folder.at("optimized.scope"));
  EXPECT_THAT(diff.out, HasSubstr("generate"));
}

TEST(PolychromicProof, TheLadderMeasuresFixesThatTrainTheSame) {
  const auto json = json_of(
      "ladder polychromic --rungs R0,R1,R5 -n 1 --steps 8 --device cpu --no-profile --format json "
      "--loss-tolerance 1e-5");
  ASSERT_EQ(json["rungs"].size(), 3U);
  EXPECT_EQ(json["rungs"][1]["name"], "batched_generation");
}

TEST(PolychromicProof, TheGateCatchesAFixThatIsTakenBack) {
  const Folder folder;
  const std::string policy = folder.at("policy.json");
  write_file(policy, R"({"schema": "stepscope.policy/1", "metrics": ["cpu_ops"]})");
  const RunOutcome gate = run_stepscope(
      "gate run --level standard --inconclusive pass --format json -n 1 --policy " + policy +
      " --baseline-cmd '" + kTrainPolychromic + " --variant optimized' --candidate-cmd '" +
      kTrainPolychromic + " --variant optimized --without batched_encoding'");
  EXPECT_EQ(gate.status, 1) << gate.out << gate.err;
  EXPECT_THAT(gate.out, HasSubstr("encode"));
}

}  // namespace
}  // namespace stepscope
