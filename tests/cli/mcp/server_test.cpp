// SPDX-License-Identifier: Apache-2.0
// These tests are of the MCP server's protocol, its lines and the size of its answers; mcp_session.py
// holds a whole session with the program.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <array>

#include "tests/cli/mcp/session.hpp"
#include "tests/cli/run_stepscope.hpp"

namespace stepscope::mcp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
