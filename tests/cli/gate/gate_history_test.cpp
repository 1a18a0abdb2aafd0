// SPDX-License-Identifier: Apache-2.0
// gate history from the outside: a folder of documents of one recorded run, each with another time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/gate/gate_documents.hpp"
#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

class GateHistory : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_.at("perf")); }

  void store(int number, double factor) {
    static const auto base = nlohmann::ordered_json::parse(
        run_stepscope("report --format json " STEPSCOPE_SOURCE_DIR
                      "/tests/data/kineto/sync_mask_norms.fixed.json.gz")
            .out);
    char name[32];
    std::snprintf(name, sizeof(name), "perf/%04d.json", number);
    write_file(folder_.at(name), repeat_of(base, factor, number).dump());
  }
  // Two levels of 12 results, the second higher by `rise`.
  void store_levels(double rise) {
    for (int i = 0; i < 24; ++i) store(i, (1 + 0.001 * (i * 7 % 5)) * (i < 12 ? 1 : 1 + rise));
  }
  RunOutcome history(const std::string& more = "") {
    return run_stepscope("gate history " + folder_.at("perf") + " " + more);
  }
  Folder folder_;
};

TEST_F(GateHistory, NamesTheResultThatRose) {
  store_levels(0.05);
  const RunOutcome run = history("--recent 20");
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("REGRESSION  step_time: rose with 0012"));
  EXPECT_THAT(run.out, HasSubstr("+5.0 %"));
  EXPECT_EQ(history("--recent 5").status, 0) << "known for longer";
  EXPECT_EQ(history("--recent 20 --tolerance 0.1").status, 0);
}

TEST_F(GateHistory, AFlatOnePassesAndIsAValidDocument) {
  store_levels(0);
  const std::string out = folder_.at("history.json");
  const RunOutcome run = history("--metric step_time --metric kernels --format json -o " + out);
  EXPECT_EQ(run.status, 0) << run.err;
  const std::string root = STEPSCOPE_SOURCE_DIR;
  const std::string validate = STEPSCOPE_PYTHON " " + root + "/tests/reports/validate_gate.py " +
                               root + "/reports/schema " + out;
  EXPECT_EQ(std::system(validate.c_str()), 0);
  EXPECT_EQ(nlohmann::json::parse(read_file(out))["metrics"].size(), 2U);
}

TEST_F(GateHistory, WhatCannotBeJudgedIsNoPass) {
  EXPECT_EQ(history().status, 4) << "an empty folder";
  store(1, 1);
  EXPECT_EQ(history().status, 3) << "one result";
  EXPECT_EQ(run_stepscope("gate history /nowhere").status, 4);
  const RunOutcome unknown = history("--metric step_tim");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'step_time'?"));
  std::filesystem::create_directory(folder_.at("perf/0000.scope"));
  write_file(folder_.at("perf/0000.scope/run.json"), R"({"schema": "stepscope.run/1"})");
  EXPECT_EQ(history().status, 3) << "recordings beside their reports are passed over";
  write_file(folder_.at("perf/0002.json"), "{");
  const RunOutcome damaged = history();
  EXPECT_EQ(damaged.status, 4);
  EXPECT_THAT(damaged.err, HasSubstr("0002.json"));
  EXPECT_EQ(damaged.err.find("0002.json"), damaged.err.rfind("0002.json")) << damaged.err;
}

}  // namespace
}  // namespace stepscope
