// SPDX-License-Identifier: Apache-2.0
// The gate verb from the outside: repeats of one recorded run with a known noise, and changes that
// must be named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/gate/gate_documents.hpp"
#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using Document = nlohmann::ordered_json;  // a report begins with its schema
using testing::HasSubstr;

class GateVerb : public testing::Test {
 protected:
  // Documents of one side, as command line arguments.
  std::string side(const std::string& name, const std::vector<double>& factors,
                   const std::function<void(Document&)>& change = {}) {
    std::string out;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      Document document = repeat_of(base(), factors[i], ++recordings_);
      if (change) change(document);
      const std::string file = folder_.at(name + std::to_string(i) + ".json");
      write_file(file, document.dump());
      out += " " + file;
    }
    return out;
  }

  static const Document& base() {
    static const Document document =
        Document::parse(run_stepscope("report --format json " STEPSCOPE_SOURCE_DIR
                                      "/tests/data/kineto/sync_mask_norms.fixed.json.gz")
                            .out);
    return document;
  }

  Document gate(const std::string& a, const std::string& b, int status,
                const std::string& more = "") {
    const RunOutcome run =
        run_stepscope("gate --format json --baseline" + a + " --candidate" + b + " " + more);
    EXPECT_EQ(run.status, status) << run.err << run.out;
    return Document::parse(run.out, nullptr, false);
  }

  static Document metric(const Document& verdict, const std::string& name) {
    for (const Document& row : verdict["metrics"])
      if (row["name"] == name) return row;
    return {};
  }

  std::string policy(const std::string& fields) {
    const std::string file = folder_.at("policy.json");
    write_file(file, R"({"schema": "stepscope.policy/1", )" + fields + "}");
    return "--policy " + file;
  }

  const std::vector<double> steady_ = {1.0, 1.004, 0.997, 1.002, 0.999};
  const std::vector<double> again_ = {1.001, 0.998, 1.003, 0.9985, 1.0005};
  const std::vector<double> slower_ = {1.051, 1.048, 1.053, 1.0485, 1.0505};
  Folder folder_;
  int recordings_ = 0;
};

TEST_F(GateVerb, RepeatsOfOneProgramPass) {
  const Document verdict = gate(side("a", steady_), side("b", again_), 0);
  EXPECT_EQ(verdict["verdict"], "pass");
  EXPECT_EQ(metric(verdict, "step_time")["verdict"], "pass");
  EXPECT_EQ(metric(verdict, "kernels")["verdict"], "pass");
}

TEST_F(GateVerb, EachPlantedChangeIsNamed) {
  const std::string a = side("a", steady_);
  const Document slower = gate(a, side("slow", slower_), 1);
  EXPECT_EQ(slower["metrics"][0]["name"], "step_time");
  EXPECT_EQ(slower["metrics"][1]["verdict"], "pass") << "nothing else";
  ASSERT_FALSE(slower["metrics"][0]["causes"].empty());
  EXPECT_EQ(slower["metrics"][0]["causes"][0]["file"], "sync_mask_norms.py");
  for (const char* count : {"kernels", "host_syncs", "copies_h2d", "bytes_d2h", "memsets"}) {
    const Document verdict =
        gate(a, side("more", again_, [&](Document& d) { add_work(d, count, 1); }), 1);
    EXPECT_EQ(verdict["metrics"][0]["name"], count);
    EXPECT_EQ(verdict["metrics"][1]["verdict"], "pass") << "nothing but " << count;
  }
}

TEST_F(GateVerb, OneRunASideIsJudgedByItsCountsAlone) {
  const Document verdict = gate(side("a", {1}), side("b", {1}), 3);
  EXPECT_EQ(verdict["more_runs_needed"], 4);
  EXPECT_EQ(metric(verdict, "kernels")["verdict"], "pass");
  const std::string counts = policy(R"("metrics": ["kernels", "host_syncs"])");
  gate(side("a", {1}), side("b", {1}), 0, counts);
  gate(side("a", {1}), side("b", {1}, [](Document& d) { add_work(d, "host_syncs", 1); }), 1,
       counts);
}

TEST_F(GateVerb, InconclusiveExitsAsAskedAndNotComparableNeverPasses) {
  const std::string a = side("a", {1}), b = side("b", {1});
  gate(a, b, 3, "--inconclusive 3");
  gate(a, b, 0, "--inconclusive=pass");
  gate(a, b, 1, "--inconclusive fail");
  const std::string other =
      side("other", again_, [](Document& d) { d["run"]["device"] = "NVIDIA A100-SXM4-40GB"; });
  const Document verdict = gate(side("a", steady_), other, 3, "--inconclusive pass");
  EXPECT_FALSE(verdict["comparable"].get<bool>());
  EXPECT_THAT(verdict["why_not"][0].get<std::string>(), HasSubstr("NVIDIA A100"));
}

TEST_F(GateVerb, ATraceAgainstItselfIsNoPass) {
  const std::string trace =
      " " STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.fixed.json.gz";
  const Document verdict = gate(trace, trace, 3);
  EXPECT_EQ(metric(verdict, "kernels")["verdict"], "pass");
  EXPECT_EQ(metric(verdict, "step_time")["verdict"], "inconclusive");
}

TEST_F(GateVerb, TheDocumentIsWhatItsSchemaAllows) {
  const std::string out = folder_.at("gate.json");
  const std::string a = side("a", steady_);
  for (const std::string& b : {side("b", again_), side("slow", slower_), side("one", {1})}) {
    run_stepscope("gate --format json -o " + out + " --baseline" + a + " --candidate" + b);
    const std::string root = STEPSCOPE_SOURCE_DIR;
    const std::string validate = STEPSCOPE_PYTHON " " + root + "/tests/reports/validate_gate.py " +
                                 root + "/reports/schema " + out;
    EXPECT_EQ(std::system(validate.c_str()), 0);
  }
}

TEST_F(GateVerb, WritesEveryOutputOfOneVerdict) {
  const std::string sides = "--baseline" + side("a", steady_) + " --candidate" +
                            side("b", again_, [](Document& d) { add_work(d, "host_syncs", 1); });
  std::string files, summary = folder_.at("summary.md");
  for (const char* kind : {"json", "junit", "sarif", "markdown"})
    files += std::string(" --") + kind + " " + folder_.at(kind);
  write_file(summary, "before\n");
  const RunOutcome run = run_stepscope("gate --github " + sides + files,
                                       "LC_ALL=C.UTF-8 GITHUB_STEP_SUMMARY=" + summary);
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("REGRESSION  host_syncs"));
  EXPECT_THAT(run.out, HasSubstr("\n::error "));
  EXPECT_THAT(read_file(summary), testing::StartsWith("before\n## stepscope gate: Regression"));
  EXPECT_EQ(Document::parse(read_file(folder_.at("sarif")))["version"], "2.1.0");
  EXPECT_THAT(read_file(folder_.at("junit")), HasSubstr("failures=\"1\""));
  for (const char* format : {"junit", "sarif", "markdown", "json", "github"})
    EXPECT_EQ(run_stepscope("gate --format " + std::string(format) + " " + sides).status, 1);
  EXPECT_EQ(run_stepscope("gate --junit /nowhere/x.xml " + sides).status, 4);
}

TEST_F(GateVerb, WrongArgumentsAndPoliciesAreNamed) {
  const std::string a = side("a", {1}), b = side("b", {1});
  const auto failing = [&](const std::string& arguments, int status, const char* says) {
    const RunOutcome run = run_stepscope("gate " + arguments);
    EXPECT_EQ(run.status, status) << arguments;
    EXPECT_THAT(run.err, HasSubstr(says));
    EXPECT_EQ(run.out, "");
  };
  const std::string sides = "--baseline" + a + " --candidate" + b + " ";
  failing("--candidate" + b, 2, "--baseline is missing");
  failing("--baseline" + a, 2, "--candidate is missing");
  failing(sides + policy(R"("metrics": ["kernals"])"), 2, "did you mean 'kernels'?");
  failing(sides + policy(R"("tolerence": 1)"), 2, "policy.json: tolerence: is no field");
  failing(sides + "--policy /nowhere.json", 4, "/nowhere.json");
  failing("--baseline /nowhere.scope --candidate" + b, 4, "/nowhere.scope");
  failing("--baseline" + a + " --candidate" + b + b, 2, "given twice");
  failing(sides + "--format yaml", 2, "--format");
}

TEST_F(GateVerb, ADamagedSideIsBadInputAndNoVerdict) {
  const std::string a = side("a", {1});
  const auto damaged = [&](const std::function<void(Document&)>& damage, const char* says) {
    const RunOutcome run =
        run_stepscope("gate --baseline" + a + " --candidate" + side("bad", {1}, damage));
    EXPECT_EQ(run.status, 4);
    EXPECT_THAT(run.err, HasSubstr("bad0.json"));
    EXPECT_THAT(run.err, HasSubstr(says));
  };
  damaged([](Document& d) { d["schema"] = "stepscope.report/9"; }, "stepscope.report/9");
  damaged([](Document& d) { d["partition"]["p50_ns"] = "1e9"; }, "partition.p50_ns");
  damaged([](Document& d) { d["cells"].erase(0); }, "cells: sum to");
}

TEST_F(GateVerb, BudgetsAloneNeedNoBaseline) {
  const std::string budgets = policy(R"("metrics": [], "budgets": ["host_syncs <= 0"])");
  EXPECT_EQ(run_stepscope("gate " + budgets + " --candidate" + side("b", {1})).status, 0);
  const RunOutcome broken =
      run_stepscope("gate " + budgets + " --candidate" +
                    side("b", {1}, [](Document& d) { add_work(d, "host_syncs", 2); }));
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.out, HasSubstr("host_syncs <= 0: 2 a step"));
}

}  // namespace
}  // namespace stepscope
