// SPDX-License-Identifier: Apache-2.0
// A session with the MCP server in this process, and the runs that its tests read.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/mcp/server.hpp"
#include "cli/mcp/tool.hpp"

namespace stepscope::mcp {

inline const std::string kSlow =
    STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.bad.json.gz";
inline const std::string kFast =
    STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.fixed.json.gz";

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

}  // namespace stepscope::mcp
