// SPDX-License-Identifier: Apache-2.0
// The MCP server in this process: its protocol, its tools' schemas, pages and errors.
// mcp_session.py holds a whole session with the program.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "cli/input/load_summary.hpp"
#include "cli/mcp/server.hpp"
#include "cli/mcp/tool.hpp"
#include "core/store/save.hpp"
#include "reports/json/json_documents.hpp"
#include "tests/cli/run_stepscope.hpp"
#include "tests/core/steps/loop_maker.hpp"
#include "tests/reports/sample_summaries.hpp"
#include "tests/support/recorded_job.hpp"

namespace stepscope::mcp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

const std::string kSlow = STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.bad.json.gz";
const std::string kFast = STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.fixed.json.gz";

class Session {
 public:
  explicit Session(std::vector<std::string> given = {}, std::uint64_t memory = 1U << 30U)
      : runs_(std::move(given), memory),
        server_(runs_, [this](const std::string& line) { sent_.push_back(line); }) {}

  std::vector<Json> send(const std::string& line) {
    sent_.clear();
    server_.receive({line});
    std::vector<Json> out;
    for (const std::string& one : sent_) out.push_back(Json::parse(one));
    return out;
  }

  Json ask(const std::string& method, const Json& params = Json::object()) {
    const Json message = {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
    const auto answers = send(line_of(message));
    return answers.empty() ? Json() : answers.back();
  }

  // The text of a tool's answer.
  std::string call_text(const std::string& tool, const Json& arguments) {
    const Json answer = ask("tools/call", {{"name", tool}, {"arguments", arguments}});
    EXPECT_LE(sent_.back().size(), kMostAnswerBytes) << tool << line_of(arguments);
    failed_ = answer["result"]["isError"];
    return answer["result"]["content"][0]["text"];
  }
  Json call(const std::string& tool, const Json& arguments = Json::object()) {
    const std::string text = call_text(tool, arguments);
    EXPECT_FALSE(failed_) << text;
    return failed_ ? Json() : Json::parse(text);
  }
  std::string complaint(const std::string& tool, const Json& arguments) {
    const std::string text = call_text(tool, arguments);
    EXPECT_TRUE(failed_) << text;
    return text;
  }

  Runs& runs() { return runs_; }
  void receive(const Line& line) { server_.receive(line); }
  std::vector<std::string> sent() const { return sent_; }

 private:
  Runs runs_;
  Server server_;
  std::vector<std::string> sent_;
  bool failed_ = false;
};

int error_of(const std::vector<Json>& answers) {
  return answers.size() == 1 && answers[0].contains("error")
             ? answers[0]["error"]["code"].get<int>()
             : 0;
}

TEST(McpServer, NegotiatesTheProtocolsVersion) {
  Session session;
  const auto version = [&session](const Json& asked) {
    return session.ask("initialize", {{"protocolVersion", asked}});
  };
  EXPECT_EQ(version("2024-11-05")["result"]["protocolVersion"], "2024-11-05");
  EXPECT_EQ(version("2025-06-18")["result"]["protocolVersion"], "2025-06-18");
  EXPECT_EQ(version("2099-01-01")["result"]["protocolVersion"], "2025-11-25");
  EXPECT_EQ(version(7)["error"]["code"], kInvalidParams);
  EXPECT_EQ(version("2025-06-18")["result"]["serverInfo"]["name"], "stepscope");
  EXPECT_TRUE(version("2025-06-18")["result"]["capabilities"].contains("tools"));
}

TEST(McpServer, AnswersWithTheCodesOfJsonRpc) {
  Session session;
  const auto code = [&session](const std::string& line) { return error_of(session.send(line)); };
  EXPECT_EQ(code("{\"jsonrpc\": \"2.0\", \"id\": 1, "), kParseError);
  EXPECT_EQ(code("hello"), kParseError);
  EXPECT_EQ(code("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"\xff\"}"), kParseError);
  EXPECT_EQ(code("7"), kInvalidRequest);
  EXPECT_EQ(code("[]"), kInvalidRequest);
  EXPECT_EQ(code(R"({"id": 1, "method": "ping"})"), kInvalidRequest);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "id": 1})"), kInvalidRequest);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "id": null, "method": "ping"})"), kInvalidRequest);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})"), kInvalidRequest);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]})"),
            kInvalidRequest);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "id": 1, "method": "resources/list"})"), kMethodNotFound);
  EXPECT_EQ(code(R"({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 1}})"),
            kInvalidParams);
  const auto unknown = session.ask("tools/call", {{"name", "finding"}});
  EXPECT_EQ(unknown["error"]["code"], kInvalidParams);
  EXPECT_THAT(unknown["error"]["message"].get<std::string>(),
              HasSubstr("did you mean 'findings'?"));
}

TEST(McpServer, ALineBeyondTheBoundIsRefusedAndTheSessionGoesOn) {
  Session session;
  session.receive({.text = "", .too_long = true});
  EXPECT_EQ(error_of({Json::parse(session.sent().at(0))}), kParseError);
  EXPECT_EQ(session.ask("ping")["result"], Json::object());
}

TEST(McpServer, DepthIsBoundedAndBracketsInTextsAreText) {
  EXPECT_FALSE(is_nested_deeper(R"({"a": "[[[[\"[[[", "b": [1]})", 2));
  EXPECT_TRUE(is_nested_deeper("[[[]]]", 2));
  EXPECT_FALSE(is_nested_deeper("[[],[],[]]", 2));
  Session session;
  EXPECT_EQ(error_of(session.send(std::string(200'000, '{'))), kParseError);
}

TEST(McpServer, NeverAnswersANotification) {
  Session session;
  for (const char* method : {"notifications/initialized", "notifications/cancelled", "unheard/of"})
    EXPECT_THAT(session.send(line_of({{"jsonrpc", "2.0"}, {"method", method}})), SizeIs(0));
  EXPECT_THAT(session.send(R"({"jsonrpc": "2.0", "id": 3, "result": {}})"), SizeIs(0));
  EXPECT_THAT(session.send("  "), SizeIs(0));
}

TEST(McpServer, KeepsTheIdAsItIs) {
  Session session;
  for (const char* id : {"7", "\"a b\"", "0", "-3"}) {
    const auto answers =
        session.send(fmt::format(R"({{"jsonrpc": "2.0", "id": {}, "method": "ping"}})", id));
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0]["id"].dump(), id);
  }
}

TEST(McpServer, ABatchIsAnsweredByAList) {
  Session session;
  const auto answers = session.send(
      R"([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "x"}, 5,)"
      R"({"jsonrpc": "2.0", "id": 2, "method": "nope"}])");
  ASSERT_THAT(answers, SizeIs(1));
  ASSERT_THAT(answers[0], SizeIs(3));
  EXPECT_EQ(answers[0][0]["result"], Json::object());
  EXPECT_EQ(answers[0][1]["error"]["code"], kInvalidRequest);
  EXPECT_EQ(answers[0][2]["error"]["code"], kMethodNotFound);
  EXPECT_THAT(session.send(R"([{"jsonrpc": "2.0", "method": "x"}])"), SizeIs(0));
}

TEST(McpServer, ToolsHaveSchemasThatTeach) {
  Session session;
  const Json tools = session.ask("tools/list")["result"]["tools"];
  ASSERT_EQ(tools.size(), all_tools().size());
  for (const Json& tool : tools) {
    EXPECT_GE(tool["description"].get<std::string>().size(), 80U) << tool["name"];
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
    EXPECT_FALSE(tool["inputSchema"]["additionalProperties"]);
    EXPECT_TRUE(tool["annotations"]["readOnlyHint"]);
    for (const auto& [name, field] : tool["inputSchema"]["properties"].items())
      EXPECT_GE(field["description"].get<std::string>().size(), 15U) << tool["name"] << name;
  }
  EXPECT_LT(session.sent().at(0).size(), 16'384U) << "an agent reads it in each session";
}

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

// Twenty steps of training, then an evaluation of twelve batches.
std::string two_loops(const Folder& folder) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) loop.train_ops("net", 3), loop.optimizer(), loop.zero_grad();
  for (int i = 0; i < 12; ++i) {
    loop.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               [&] { loop.now += 300; });
    for (int op = 0; op < 6; ++op) loop.op("aten::eval_" + std::to_string(op % 3));
  }
  const std::string path = folder.at("two_loops.sst");
  EXPECT_TRUE(save(loop.build(), path).ok());
  return path;
}

TEST(McpTools, SectionHoldsForAllLaterAnswers) {
  const Folder folder;
  Session session({two_loops(folder)});
  const Json first = session.call("report");
  ASSERT_GE(first["sections"].size(), 2U) << first;
  EXPECT_THAT(first["sections"][0].get<std::string>(), HasSubstr("20 steps"));
  EXPECT_THAT(first["sections"][1].get<std::string>(), HasSubstr("2: no backward pass, 12 steps"));
  const Json second = session.call("report", {{"section", "2"}});
  EXPECT_LT(second["steps_counted"], 12);
  EXPECT_EQ(session.call("steps")["total"], second["steps_counted"]);
  EXPECT_THAT(session.complaint("report", {{"section", "7"}}),
              HasSubstr("--section 7: there is none"));
  EXPECT_EQ(session.call("steps")["total"], second["steps_counted"]) << "as before the mistake";
  EXPECT_EQ(session.call("report", {{"section", "1"}})["wall_ns_total"], first["wall_ns_total"]);
}

std::size_t column(const Json& table, const char* name) {
  const auto& columns = table["columns"];
  return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) -
                                  columns.begin());
}

TEST(McpTools, TheRanksOfAJobAreATable) {
  Summary job = samples::job();
  job.partition.steps_counted = job.counted.size() * job.job->ranks.size();
  job.cells = {{Cause::unknown, "", "", "", 0, std::nullopt, job.partition.wall_ns_total}};
  const Folder folder;
  const std::string path = folder.at("job.json");
  std::ofstream(path) << json_report(job);
  Session session({path});
  const Json ranks = session.call("table", {{"name", "ranks"}});
  ASSERT_THAT(ranks["rows"], SizeIs(3)) << ranks;
  EXPECT_EQ(ranks["rows"][1][column(ranks, "rank")], "rank 1");
  EXPECT_EQ(ranks["rows"][2][column(ranks, "costs_others_ns_total")],
            job.job->ranks[2].costs_ns_total);
  EXPECT_EQ(ranks["rows"][2][column(ranks, "note")], "late: host");
  EXPECT_THAT(session.call("table", {{"name", "devices"}})["rows"], SizeIs(0));
}

TEST(McpTools, ARunOfSeveralRanksIsReadAsTheJobUnlessOneIsChosen) {
  const Folder folder;
  const recorded_job::Plan plan{
      .folder = folder.at("job.scope"), .ranks = 2, .steps = 12, .kernels = 10};
  ASSERT_TRUE(recorded_job::write_job(plan).ok());
  const auto report = load_summary(plan.folder);
  ASSERT_TRUE(report.ok() && report->job);
  Session session({plan.folder});
  const Json job = session.call("report");
  EXPECT_EQ(job["wall_ns_total"], report->partition.wall_ns_total);
  EXPECT_THAT(job["ranks"].dump(), HasSubstr("rank 1"));
  EXPECT_THAT(job["findings"].dump(), HasSubstr("late_rank train.py:12"));
  const Json late = session.call("findings", {{"id", "late_rank"}});
  EXPECT_THAT(late["ranks"].get<std::string>(), HasSubstr("rank=N"));
  EXPECT_EQ(late["rows"][0]["line"], 12);
  EXPECT_EQ(session.call("table", {{"name", "phases"}})["wall_ns_total"], job["wall_ns_total"]);
  const Json alone = session.call("report", {{"rank", 0}});
  EXPECT_FALSE(alone.contains("ranks"));
  EXPECT_THAT(alone["findings"].dump(), Not(HasSubstr("late_rank")));
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

TEST(McpTools, AskWhichRunWhereSeveralAreGiven) {
  Session none;
  EXPECT_THAT(none.complaint("report", Json::object()), HasSubstr("trace: is missing"));
  Session two({kSlow, kFast});
  EXPECT_THAT(two.complaint("report", Json::object()), HasSubstr("trace: which one of"));
  EXPECT_EQ(two.call("report", {{"trace", "sync_mask_norms.fixed.json.gz"}})["trace"], kFast)
      << "the name of a given one is enough";
}

TEST(McpTools, TheReadingOfARunHoldsForLaterAnswers) {
  Session session({kSlow});
  const Json before = session.call("table", {{"name", "phases"}});
  session.call("report", {{"phase", "^norms$"}});
  const Json after = session.call("table", {{"name", "phases"}});
  EXPECT_LT(after["total"].get<int>(), before["total"].get<int>());
  EXPECT_EQ(after["wall_ns_total"], before["wall_ns_total"]);
}

TEST(McpRuns, KeepsWhatFitsAndLetsTheLeastUsedGo) {
  Session large({}, 1U << 30U);
  const auto first = large.runs().at(kSlow, {});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ((*large.runs().at(kSlow, {})).get(), first->get()) << "loaded once";
  ASSERT_TRUE(large.runs().at(kFast, {}).ok());
  EXPECT_THAT(large.runs().kept(), SizeIs(2));
  const std::uint64_t both = large.runs().kept_bytes();
  EXPECT_GT(both, 1'000'000U);
  Session small({}, both - 1);
  ASSERT_TRUE(small.runs().at(kSlow, {}).ok());
  ASSERT_TRUE(small.runs().at(kFast, {}).ok());
  ASSERT_THAT(small.runs().kept(), SizeIs(1));
  EXPECT_EQ(small.runs().kept()[0]->name().path, kFast);
  EXPECT_LE(small.runs().kept_bytes(), both - 1);
}

TEST(McpRuns, ReadsARunAnewThatWasRecordedAnew) {
  const Folder folder;
  const std::string path = folder.at("run.json.gz");
  std::filesystem::copy_file(kSlow, path);
  Session session({path});
  const Json before = session.call("report");
  std::filesystem::copy_file(kFast, path, std::filesystem::copy_options::overwrite_existing);
  const Json after = session.call("report");
  EXPECT_LT(after["wall_ns_total"].get<std::int64_t>(),
            before["wall_ns_total"].get<std::int64_t>());
}

TEST(McpAnswer, IsSmallWhateverARowHolds) {
  const auto arguments = Arguments::read(page_fields(), Json::object());
  ASSERT_TRUE(arguments.ok());
  const std::string long_text(20'000, '"');
  const auto row = [&](std::size_t i) {
    return Json{{"i", i}, {"text", i % 2 == 0 ? long_text : "\xff\xc3 short"}};
  };
  for (const bool as_table : {true, false}) {
    const Json answer =
        page({{"head", long_text}}, {.size = 1000, .at = row, .as_table = as_table}, *arguments);
    EXPECT_GE(answer["rows"].size(), 1U);
    EXPECT_LE(line_of(answer_json(1, tool_result(answer))).size(), kMostAnswerBytes);
  }
  Json many = Json::object();
  for (int i = 0; i < 1200; ++i) many["list"].push_back(i);
  EXPECT_LE(line_of(answer_json(1, tool_result(fitted(many)))).size(), kMostAnswerBytes);
  EXPECT_LE(line_of(answer_json(1, tool_error(long_text))).size(), kMostAnswerBytes);
}

TEST(McpLines, AreTakenApartWhereverAReadEnds) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const std::string text = "one\r\n\ntwo\n" + std::string(200, 'x') + "\nlast";
  ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(ends[1]);
  LineSource source(ends[0], 100);
  std::vector<std::string> lines;
  for (auto line = source.next(); line; line = source.next())
    lines.push_back(line->too_long ? "(too long)" : line->text);
  close(ends[0]);
  EXPECT_THAT(lines, ElementsAre("one", "", "two", "(too long)", "last"));
}

TEST(McpVerb, HoldsASessionOverItsPipes) {
  const RunOutcome run = run_stepscope("--version");
  ASSERT_EQ(run.status, 0);
  EXPECT_EQ(std::system((STEPSCOPE_PYTHON " " STEPSCOPE_SOURCE_DIR
                                          "/tests/cli/mcp/mcp_session.py " STEPSCOPE_BINARY_DIR
                                          "/cli/stepscope " +
                         kSlow + " " + kFast)
                            .c_str()),
            0);
}

TEST(McpVerb, NamesAMissingTraceBeforeTheSession) {
  const RunOutcome run = run_stepscope("mcp no_such.scope </dev/null");
  EXPECT_EQ(run.status, 4);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("no_such.scope: there is no such file or folder"));
}

}  // namespace
}  // namespace stepscope::mcp
