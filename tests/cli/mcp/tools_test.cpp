// SPDX-License-Identifier: Apache-2.0
// These tests read what the MCP server's tools answer about one run: numbers, pages, events.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/input/load_summary.hpp"
#include "tests/cli/mcp/session.hpp"
#include "tests/cli/run_stepscope.hpp"

namespace stepscope::mcp {
namespace {

using testing::HasSubstr;

TEST(McpTools, NumbersAreThoseOfTheReport) {
  const Json report = Json::parse(run_stepscope("report --format json " + kSlow).out);
  Session session({kSlow});
  const Json head = session.call("report");
  EXPECT_EQ(head["wall_ns_total"], report["partition"]["wall_ns_total"]);
  ASSERT_EQ(head["total"], report["partition"]["parts"].size());
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < head["parts"].size(); ++i) {
    EXPECT_EQ(head["parts"][i][0], report["partition"]["parts"][i]["cause"]);
    EXPECT_EQ(head["parts"][i][1], report["partition"]["parts"][i]["ns_total"]);
    sum += head["parts"][i][1].get<std::int64_t>();
  }
  EXPECT_EQ(sum, head["wall_ns_total"].get<std::int64_t>()) << "the parts fit on one page";
  const Json found = session.call("findings");
  ASSERT_EQ(found["total"], report["findings"].size());
  for (std::size_t i = 0; i < found["rows"].size(); ++i) {
    EXPECT_EQ(found["rows"][i]["id"], report["findings"][i]["id"]);
    EXPECT_NEAR(found["rows"][i]["caused_ns_per_step"].get<double>(),
                report["findings"][i]["caused_ns_per_step"].get<double>(), 0.01);
  }
}

// Follows `next` to the end: each row once, in the order of the document.
TEST(McpTools, PagesHoldTheWholeTable) {
  const Json report = Json::parse(run_stepscope("report --format json " + kSlow).out);
  Session session({kSlow});
  for (const char* name : {"lines", "kernels", "phases", "counts", "collectives"}) {
    Json rows = Json::array();
    std::size_t pages = 0;
    for (Json cursor = 0; !cursor.is_null() && pages < 100; ++pages) {
      const Json page = session.call("table", {{"name", name}, {"cursor", cursor}});
      for (const Json& row : page["rows"]) rows.push_back(row);
      cursor = page.value("next", Json());
    }
    ASSERT_EQ(rows.size(), report[name].size()) << name;
    if (std::string(name) != "lines") continue;
    EXPECT_GT(pages, 2U);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i][1], report["lines"][i]["line"]);
      EXPECT_EQ(rows[i][5], report["lines"][i]["ns_total"]);
    }
  }
}

TEST(McpTools, CellsSumToTheWall) {
  Session session({kSlow});
  std::int64_t sum = 0;
  Json wall;
  for (Json cursor = 0; !cursor.is_null();) {
    const Json page = session.call("table", {{"name", "cells"}, {"cursor", cursor}});
    const auto columns = page["columns"].get<std::vector<std::string>>();
    const auto at = std::find(columns.begin(), columns.end(), "ns_total") - columns.begin();
    for (const Json& row : page["rows"])
      sum += row[static_cast<std::size_t>(at)].get<std::int64_t>();
    wall = page["wall_ns_total"];
    cursor = page.value("next", Json());
  }
  EXPECT_EQ(sum, wall.get<std::int64_t>());
}

// The events that own time of a cause in a step own exactly what the step's parts say.
TEST(McpTools, EventsOfAStepOwnItsParts) {
  Session session({kSlow});
  const Json step = session.call("steps", {{"step", 4}})["rows"][0];
  for (const auto& [cause, ns] : step["parts"].items()) {
    const Json found = session.call("events", {{"step", 4}, {"cause", cause}, {"limit", 1}});
    EXPECT_EQ(
        found["sum_owns_ns"].get<std::int64_t>() + found["without_event_ns"].get<std::int64_t>(),
        ns.get<std::int64_t>())
        << cause;
    EXPECT_GT(found["sum_owns_ns"].get<std::int64_t>(), 0) << cause;
  }
}

TEST(McpTools, EventsAreFoundByNameLineAndTime) {
  Session session({kSlow});
  const Json waits = session.call(
      "events", {{"name", "cudaStreamSynchronize"}, {"order", "longest"}, {"limit", 3}});
  ASSERT_THAT(waits["rows"], SizeIs(3));
  EXPECT_GE(waits["rows"][0][4].get<std::int64_t>(), waits["rows"][1][4].get<std::int64_t>());
  const Json one = session.call("event", {{"id", waits["rows"][0][0]}});
  EXPECT_EQ(one["name"], "cudaStreamSynchronize");
  EXPECT_EQ(one["ns"], waits["rows"][0][4]);
  const std::int64_t at = one["at_ns"];
  const Json around = session.call(
      "events",
      {{"from_ns", at}, {"to_ns", at + 1}, {"name", "cudaStreamSynchronize"}, {"order", "time"}});
  EXPECT_EQ(around["total"], 1);
  EXPECT_EQ(around["rows"][0][0], one["id"]);
  const Json here = session.call("events", {{"file", "sync_mask_norms.py"},
                                            {"line", 96},
                                            {"name", "cudaStreamSynchronize"},
                                            {"limit", 1}});
  EXPECT_GT(here["total"].get<int>(), 0);
  EXPECT_EQ(session.call("events", {{"file", "norms.py"}, {"limit", 1}})["total"], 0)
      << "whole parts of a path";
}

TEST(McpTools, ALaunchKnowsItsKernelAndTheKernelItsLaunch) {
  Session session({kSlow});
  const Json kernel = session.call("event", {{"id", "d100"}});
  const std::string launch = kernel["launched_by"];
  const Json call = session.call("event", {{"id", launch.substr(0, launch.find(' '))}});
  EXPECT_THAT(call["launched"][0].get<std::string>(), HasSubstr("d100 "));
}

TEST(McpTools, WhatifAndDiffAreThoseOfTheVerbs) {
  Session session({kSlow, kFast});
  const Json verb =
      Json::parse(run_stepscope("whatif --format json --fix remove_sync@phase=norms " + kSlow).out);
  const Json answer =
      session.call("whatif", {{"trace", kSlow}, {"fixes", {"remove_sync@phase=norms"}}});
  EXPECT_NEAR(answer["fixes"][0]["ns_per_step"].get<double>(),
              verb["fixes"][0]["ns_per_step"].get<double>(), 0.1);
  const Json diff = Json::parse(run_stepscope("diff --format json " + kSlow + " " + kFast).out);
  for (const char* by : {"causes", "lines", "phases", "parts"}) {
    std::int64_t sum = 0;
    for (Json cursor = 0; !cursor.is_null();) {
      const Json page =
          session.call("diff", {{"a", kSlow}, {"b", kFast}, {"by", by}, {"cursor", cursor}});
      EXPECT_EQ(page["delta_ns_total"], diff["delta_ns_total"]);
      const auto columns = page["columns"].get<std::vector<std::string>>();
      const auto at = std::find(columns.begin(), columns.end(), "delta_ns_total") - columns.begin();
      for (const Json& row : page["rows"])
        sum += row[static_cast<std::size_t>(at)].get<std::int64_t>();
      cursor = page.value("next", Json());
    }
    EXPECT_EQ(sum, diff["delta_ns_total"].get<std::int64_t>()) << by;
  }
}

TEST(McpTools, GateSaysTheVerdict) {
  Session session;
  const Json verdict = session.call(
      "gate",
      {{"baseline", {kFast}}, {"candidate", {kSlow}}, {"policy", {{"metrics", {"host_syncs"}}}}});
  EXPECT_EQ(verdict["verdict"], "regression");
  EXPECT_EQ(verdict["metrics"][0]["name"], "host_syncs");
  EXPECT_EQ(
      session.call("gate",
                   {{"candidate", {kSlow}},
                    {"policy",
                     {{"budgets", {"host_syncs <= 100"}}, {"metrics", Json::array()}}}})["verdict"],
      "pass");
}

TEST(McpTools, AReportsDocumentServesSumsAndNoEvents) {
  const Folder folder;
  const std::string path = folder.at("report.json");
  ASSERT_EQ(run_stepscope("report --format json -o " + path + " " + kSlow).status, 0);
  Session session({path});
  EXPECT_EQ(session.call("report")["total"], session.call("report", {{"trace", kSlow}})["total"]);
  EXPECT_EQ(session.call("findings")["total"],
            session.call("findings", {{"trace", kSlow}})["total"]);
  EXPECT_THAT(session.complaint("events", Json::object()), HasSubstr("holds no events"));
  EXPECT_THAT(session.complaint("whatif", Json::object()), HasSubstr("holds no events"));
}

TEST(McpTools, SaysWhichFieldOrFileIsWrong) {
  Session session({kSlow});
  const auto says = [&session](const char* tool, const Json& arguments, const char* part) {
    EXPECT_THAT(session.complaint(tool, arguments), HasSubstr(part));
  };
  says("report", {{"tracee", "x"}}, "tracee: no such field; did you mean 'trace'?");
  says("report", {{"trace", "no/such.scope"}}, "no/such.scope: there is no such file or folder");
  says("report", {{"trace", 5}}, "trace: must be a string");
  says("report", {{"step_marker", "("}}, "not a regular expression");
  says("report", {{"section", "first"}}, "'first' is no section");
  says("report", {{"section", "7"}}, "--section 7: there is none");
  says("report", {{"cursor", -1}}, "cursor: must be an integer from 0 on");
  says("report", {{"cursor", 1e300}}, "cursor: must be an integer");
  says("report", {{"limit", 18446744073709551615ULL}}, "limit: must be");
  says("table", Json::object(), "name: is missing; one of: lines");
  says("table", {{"name", "rows"}}, "name: 'rows' is none of: lines, kernels");
  says("findings", {{"id", "host_sink"}}, "did you mean 'host_sync'?");
  says("explain", {{"id", "host_sink"}}, "did you mean 'host_sync'?");
  says("whatif", {{"fixes", {"remove_syncs"}}}, "did you mean 'remove_sync'?");
  says("whatif", {{"fixes", "remove_sync"}}, "fixes: must be an array of strings");
  says("whatif", {{"plain_step", "7"}}, "plain_step");
  says("diff", {{"a", kSlow}}, "b: is missing");
  says("gate", {{"candidate", {kSlow}}}, "baseline: is missing");
  says("gate", {{"candidate", {kSlow}}, {"policy", {{"metricks", 1}}}}, "metricks");
  says("gate", {{"candidate", {kSlow, kSlow}}, {"baseline", {kFast}}}, "given twice");
  says("events", {{"cause", "host.sync"}}, "cause: 'host.sync' is none");
  says("events", {{"step", 99}}, "step: the run has no step 99");
  says("events", {{"line", 3}}, "line: needs `file`");
  says("events", {{"from_ns", 9}, {"to_ns", 3}}, "from_ns, to_ns");
  says("event", {{"id", "x1"}}, "they look like h12");
  says("event", {{"id", "d99999999"}}, "there is no such event");
  says("event", {{"id", "h"}}, "they look like h12");
  says("steps", {{"step", 99}}, "no step 99");
}

}  // namespace
}  // namespace stepscope::mcp
