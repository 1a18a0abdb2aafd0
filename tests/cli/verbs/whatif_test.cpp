// SPDX-License-Identifier: Apache-2.0
// The whatif verb from the outside, on small real traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kSlowTrace =
    STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.bad.json.gz";

nlohmann::json document_of(const std::string& arguments) {
  return nlohmann::json::parse(run_stepscope("whatif --format json " + arguments).out);
}

TEST(WhatifVerb, RanksWhatApplies) {
  const RunOutcome run = run_stepscope("whatif " + kSlowTrace);
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* part : {"a step", "steps replayed", "remove_sync", "launch_bound", "At best",
                           "Assumed: ", "--plain-step"})
    EXPECT_THAT(run.out, HasSubstr(part));
  EXPECT_THAT(run.out, Not(HasSubstr("\x1b"))) << "colour only on a terminal";
}

TEST(WhatifVerb, WritesADocumentOfItsSchema) {
  const Folder folder;
  const std::string document = folder.at("whatif.json");
  const std::string fixes = " --fix remove_sync@phase=norms --fix remove_sync@phase=log";
  ASSERT_EQ(run_stepscope("whatif --format json -o " + document + fixes + " " + kSlowTrace).status,
            0);
  EXPECT_EQ(std::system((STEPSCOPE_PYTHON " " STEPSCOPE_SOURCE_DIR
                                          "/tests/reports/validate_json.py " STEPSCOPE_SOURCE_DIR
                                          "/reports/schema " +
                         document)
                            .c_str()),
            0);
  const auto read = nlohmann::json::parse(read_file(document));
  EXPECT_EQ(read["question"], "tried");
  EXPECT_EQ(read["fixes"].size(), 2U);
  EXPECT_EQ(read["fixes"][0]["fix"], "remove_sync@phase=norms");
  EXPECT_GT(read["fixes"][0]["touched"], 0);
  EXPECT_TRUE(read.contains("together"));
}

// One fix has one price, whoever prints it.
TEST(WhatifVerb, PricesAFixAsTheReportDoes) {
  const auto report =
      nlohmann::json::parse(run_stepscope("report --format json " + kSlowTrace).out);
  const auto ranked = document_of(kSlowTrace);
  std::size_t both = 0;
  for (const char* list : {"findings", "no_gain"}) {
    for (const auto& finding : report[list]) {
      if (finding["forecast"].is_null()) continue;
      for (const auto& row : ranked["fixes"]) {
        if (row.value("finding", "") != finding["id"]) continue;
        if (row["file"] != finding["places"][0]["file"]) continue;
        ++both;
        EXPECT_EQ(row["ns_per_step"], finding["forecast"]["ns_per_step"]) << finding["id"];
        EXPECT_EQ(row["low"], finding["forecast"]["low"]) << finding["id"];
        EXPECT_EQ(row["line"], finding["places"][0]["line"]) << finding["id"];
      }
    }
  }
  EXPECT_GE(both, 3U);
}

TEST(WhatifVerb, AFixWrittenByHandIsTheFindingThatProposesIt) {
  const auto by_id = document_of("--fix launch_bound " + kSlowTrace)["fixes"][0];
  const auto by_hand = document_of("--fix capture_graph " + kSlowTrace)["fixes"][0];
  EXPECT_EQ(by_hand["finding"], "launch_bound");
  EXPECT_EQ(by_hand["ns_per_step"], by_id["ns_per_step"]);
  EXPECT_EQ(by_hand["line"], by_id["line"]);
}

TEST(WhatifVerb, AFindingCanBeNamedWithItsLine) {
  const auto report =
      nlohmann::json::parse(run_stepscope("report --format json " + kSlowTrace).out);
  std::size_t named = 0;
  for (const auto& finding : report["findings"]) {
    if (finding["forecast"].is_null() || finding["places"].empty()) continue;
    ++named;
    const auto& place = finding["places"][0];
    const std::string id = finding["id"];
    const std::string at = place["file"].get<std::string>() + ":" + place["line"].dump();
    const auto row = document_of("--fix " + id + "@" + at + " " + kSlowTrace)["fixes"][0];
    EXPECT_EQ(row["finding"], id);
    EXPECT_EQ(row["line"], place["line"]) << id;
  }
  EXPECT_GE(named, 1U);
}

TEST(WhatifVerb, NoIntervalReachesBelowWhatIsCalledBest) {
  const nlohmann::json document = document_of(kSlowTrace);
  for (const auto& fix : document["fixes"])
    EXPECT_LE(fix["ceiling_ns_per_step"], fix["low"]) << fix["fix"];
}

TEST(WhatifVerb, SaysHowMuchOfAFixItIs) {
  const RunOutcome run = run_stepscope(
      "whatif " + kSlowTrace +
      " --fix less_often@phase=norms:every=4 --fix scale_work@cause=gpu.gemm:factor=0.5");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("less_often (1 in 4)"));
  EXPECT_THAT(run.out, HasSubstr("scale_work (x0.5)"));
}

TEST(WhatifVerb, EachStepOfThePathIsNoLongerThanTheOneBefore) {
  const auto path = document_of("--apply-best 3 " + kSlowTrace);
  ASSERT_GE(path["fixes"].size(), 1U);
  double before = path["ns_per_step"];
  for (const auto& fix : path["fixes"]) {
    EXPECT_LT(fix["ns_per_step"], before);
    before = fix["ns_per_step"];
  }
}

TEST(WhatifVerb, ForecastsAreAnchoredAtThePlainStep) {
  const auto plain = document_of("--plain-step 6.0ms --fix remove_sync@phase=norms " + kSlowTrace);
  EXPECT_EQ(plain["ns_per_step"], 6.0e6);
  EXPECT_TRUE(plain["is_plain_step"]);
  EXPECT_LT(plain["fixes"][0]["ns_per_step"], 6.0e6);
}

TEST(WhatifVerb, SaysWhatIsWrongWithAFix) {
  const auto complaint = [](const std::string& fix) {
    const RunOutcome run = run_stepscope("whatif " + kSlowTrace + " --fix " + fix);
    EXPECT_EQ(run.status, 2) << fix;
    EXPECT_EQ(run.out, "");
    return run.err;
  };
  EXPECT_THAT(complaint("remove_syncs"), HasSubstr("did you mean 'remove_sync'?"));
  EXPECT_THAT(
      complaint("remove_sync@sync_mask_norms.py:1234"),
      HasSubstr("no recorded event is at line 1234 of sync_mask_norms.py; recorded lines are"));
  EXPECT_THAT(complaint("remove_sync@other.py:1"),
              HasSubstr("no recorded event is in a file 'other.py'"));
  EXPECT_THAT(complaint("drop_work@phase=norm"), HasSubstr("did you mean 'norms'?"));
  EXPECT_THAT(complaint("scale_work@cause=gpu.gem:factor=0.5"),
              HasSubstr("did you mean 'gpu.gemm'?"));
  EXPECT_THAT(complaint("scale_work@cause=gpu.gemm"), HasSubstr("needs :factor=F"));
  EXPECT_THAT(complaint("less_often@phase=log"), HasSubstr("needs :every=N"));
  EXPECT_THAT(complaint("less_often@phase=log:every=1"), HasSubstr("a whole number from 2 on"));
  EXPECT_THAT(complaint("drop_work"), HasSubstr("needs a place"));
  EXPECT_THAT(complaint("remove_sync@here"), HasSubstr("'here' is no place"));
  EXPECT_THAT(complaint("drop_work@direction=again"), HasSubstr("are backward and recompute"));
  EXPECT_THAT(complaint("remove_sync:speed=3"), HasSubstr("is no option of a fix"));
  EXPECT_THAT(complaint("launch_bound@other.py:7"),
              HasSubstr("the finding is not at 'other.py:7'; it is at "));
  EXPECT_THAT(complaint("recomputation"), HasSubstr("this run has no such finding (cleared: "));
}

TEST(WhatifVerb, SaysThatATraceCannotBeReplayed) {
  const Folder folder;
  const std::string trace = folder.at("one.json");
  write_file(trace,
             R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7,
                 "ts": 110.0, "dur": 50.0, "args": {"device": 0, "stream": 7, "context": 1}}]})");
  const RunOutcome run = run_stepscope("whatif " + trace);
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("cannot be replayed: no steps were found"));
  EXPECT_EQ(run_stepscope("whatif " + folder.at("none.json")).status, 4);
}

TEST(WhatifVerb, HelpNamesEveryFix) {
  const RunOutcome run = run_stepscope("whatif --help");
  EXPECT_EQ(run.status, 0);
  for (const char* fix :
       {"remove_sync", "pin_memory", "prefetch_input", "merge_copies", "hoist_invariant",
        "fuse_optimizer", "capture_graph", "scale_work", "overlap_transfer", "drop_work",
        "less_often", "batch_repeats", "fuse_work"})
    EXPECT_THAT(run.out, HasSubstr(fix));
}

}  // namespace
}  // namespace stepscope
