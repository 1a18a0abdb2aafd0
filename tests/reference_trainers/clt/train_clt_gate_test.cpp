// SPDX-License-Identifier: Apache-2.0
// The gate on a real training on the CPU: the program that scripts/demo runs, with itself and with
// its optimised variant as the baseline. Operations of a step are counted exactly; times of a test
// machine that other tests share are only asked not to be called twice as long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

constexpr const char* kSmall =
    " --device cpu --layers 2 --features 128 --d-model 32 --batch 64 --rows 512 --k 8 --steps 40"
    " --eval-every 10 --variant ";

std::string command(const std::string& side, const std::string& variant) {
  return " --" + side + "-cmd '" TRAIN_CLT + std::string(kSmall) + variant + "'";
}

class TrainCltGate : public testing::Test {
 protected:
  nlohmann::json gate(const std::string& runs, const std::string& baseline,
                      const std::string& candidate, int status) {
    const std::string policy = folder_.at("policy.json");
    write_file(policy, R"({"schema": "stepscope.policy/1",
        "metrics": ["cpu_ops", {"name": "step_time", "tolerance": 1}]})");
    const RunOutcome run = run_stepscope(
        "gate run --level standard --inconclusive pass --format json -n " + runs + " --policy " +
        policy + command("baseline", baseline) + command("candidate", candidate));
    EXPECT_EQ(run.status, status) << run.out << run.err;
    return nlohmann::json::parse(run.out, nullptr, false);
  }

  static nlohmann::json metric(const nlohmann::json& verdict, const char* name) {
    for (const auto& row : verdict["metrics"])
      if (row["name"] == name) return row;
    return {};
  }

 private:
  Folder folder_;
};

TEST_F(TrainCltGate, TheSameTrainingPasses) {
  const auto verdict = gate("3", "baseline", "baseline", 0);
  EXPECT_EQ(metric(verdict, "cpu_ops")["verdict"], "pass");
  EXPECT_NE(metric(verdict, "step_time")["verdict"], "regression");
}

TEST_F(TrainCltGate, TheSlowVariantIsNamedWithThePhaseOfItsWork) {
  const auto verdict = gate("1", "optimized", "baseline", 1);
  const auto ops = metric(verdict, "cpu_ops");
  EXPECT_EQ(ops["verdict"], "regression");
  std::set<std::string> phases;
  for (const auto& cause : ops["causes"]) phases.insert(cause["phase"].get<std::string>());
  EXPECT_TRUE(phases.contains("backward")) << "its products are dense and written out";
  EXPECT_TRUE(phases.contains("optimizer")) << "its Adam is hundreds of small operations";
}

}  // namespace
}  // namespace stepscope
