// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "cli/mcp/tool.hpp"
#include "core/support/words.hpp"

namespace stepscope::mcp {
namespace {

// The newest first: it is what a client is offered that asks for one that we do not know.
constexpr std::array<std::string_view, 4> kVersions = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                       "2024-11-05"};
constexpr std::size_t kLargestBatch = 64;
constexpr std::size_t kDeepest = 64;
constexpr std::chrono::milliseconds kBetweenProgress{250};

constexpr const char* kInstructions =
    "stepscope tells where the time of a training step goes, exactly: every nanosecond of a step "
    "has one owner, and the parts sum to the step's wall time. Begin with `report`, then "
    "`findings`: each names a line, what it costs, and what fixing it would give by replay. Try a "
    "fix with `whatif` before you write it. After a change record again ('stepscope profile -o "
    "after -- COMMAND' in a shell) and check with `diff`, a = before, b = after. `table`, `steps`, "
    "`events` and `event` show the evidence. Times are nanoseconds; share is 0..1 of the step. An "
    "answer is under 4 KB: where it says `next`, pass that as `cursor` for more. What a trace "
    "cannot tell is said as unknown or abstained: do not read it as zero.";

std::variant<Json, RpcError> initialize(const Json& params) {
  const auto asked = params.find("protocolVersion");
  if (asked == params.end() || !asked->is_string())
    return RpcError{kInvalidParams, "protocolVersion: must be a string"};
  const std::string version = *asked;
  const bool known = std::find(kVersions.begin(), kVersions.end(), version) != kVersions.end();
  return Json{{"protocolVersion", known ? std::string_view(version) : kVersions.front()},
              {"capabilities", {{"tools", {{"listChanged", false}}}}},
              {"serverInfo",
               {{"name", "stepscope"}, {"title", "stepscope"}, {"version", STEPSCOPE_VERSION}}},
              {"instructions", kInstructions}};
}

Json tool_json(const Tool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.about},
          {"inputSchema", schema_of(tool.fields)},
          {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}};
}

std::variant<Json, RpcError> list_tools(const Json& params) {
  if (params.contains("cursor"))
    return RpcError{kInvalidParams, "cursor: the list of tools has one page"};
  Json tools = Json::array();
  for (const Tool& tool : all_tools()) tools.push_back(tool_json(tool));
  return Json{{"tools", std::move(tools)}};
}

RpcError unknown_tool(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Tool& tool : all_tools()) names.push_back(tool.name);
  const std::string_view near = nearest(name, names);
  const std::string hint = near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                                        : fmt::format("did you mean '{}'?", near);
  return {kInvalidParams, fmt::format("name: unknown tool '{}'; {}", name, hint)};
}

}  // namespace

void Server::receive(const Line& line) {
  if (line.too_long)
    return send_(line_of(error_json(
        nullptr, {kParseError, fmt::format("a line is longer than {} bytes", kLongestLine)})));
  if (line.text.find_first_not_of(" \t") == std::string::npos) return;
  if (is_nested_deeper(line.text, kDeepest))
    return send_(line_of(error_json(
        nullptr, {kParseError, fmt::format("the line is nested deeper than {}", kDeepest)})));
  const Json message = Json::parse(line.text, nullptr, false);
  if (message.is_discarded())
    return send_(line_of(
        error_json(nullptr, {kParseError, "the line is no JSON: one message a line, in UTF-8"})));
  const auto answered = message.is_array() ? answer_batch(message) : answer(message);
  if (answered) send_(line_of(*answered));
}

std::optional<Json> Server::answer_batch(const Json& messages) {
  if (messages.empty() || messages.size() > kLargestBatch)
    return error_json(
        nullptr, {kInvalidRequest, fmt::format("a batch has 1 to {} messages", kLargestBatch)});
  Json out = Json::array();
  for (const Json& message : messages)
    if (auto answered = answer(message)) out.push_back(std::move(*answered));
  if (out.empty()) return {};
  return out;
}

std::optional<Json> Server::answer(const Json& message) {
  Json id;
  const auto read = read_request(message, id);
  if (const auto* error = std::get_if<RpcError>(&read)) return error_json(id, *error);
  const auto* request = std::get_if<Request>(&read);
  if (request == nullptr || !request->id) return {};
  auto result = result_of(*request);
  if (const auto* error = std::get_if<RpcError>(&result)) return error_json(id, *error);
  return answer_json(id, std::move(std::get<Json>(result)));
}

std::variant<Json, RpcError> Server::result_of(const Request& request) {
  if (request.method == "initialize") return initialize(request.params);
  if (request.method == "ping") return Json::object();
  if (request.method == "tools/list") return list_tools(request.params);
  if (request.method == "tools/call") return call_tool(request.params);
  return RpcError{kMethodNotFound,
                  fmt::format("{}: no such method; there are initialize, ping, tools/list and "
                              "tools/call",
                              request.method)};
}

std::variant<Json, RpcError> Server::call_tool(const Json& params) {
  const auto name = params.find("name");
  if (name == params.end() || !name->is_string())
    return RpcError{kInvalidParams, "name: must be the name of a tool"};
  const auto& called = name->get_ref<const std::string&>();
  const auto tool = std::find_if(all_tools().begin(), all_tools().end(),
                                 [&called](const Tool& one) { return one.name == called; });
  if (tool == all_tools().end()) return unknown_tool(*name);
  const Json given = params.value("arguments", Json::object());
  if (!given.is_object() && !given.is_null())
    return RpcError{kInvalidParams, "arguments: must be an object"};
  try {
    const auto arguments = Arguments::read(tool->fields, given);
    if (!arguments) return tool_error(arguments.error().message);
    const auto answered = tool->answer({runs_, *arguments, progress_of(params)});
    return answered ? tool_result(*answered) : tool_error(answered.error().message);
  } catch (const std::exception& error) {  // out of memory: the session goes on
    return RpcError{kInternalError, fmt::format("{}: {}", tool->name, error.what())};
  }
}

// Reports how far the reading of a trace is, if the client gave a token.
Progress Server::progress_of(const Json& params) {
  const Json about_call = params.value("_meta", Json());
  const Json token = about_call.is_object() ? about_call.value("progressToken", Json()) : Json();
  if (!token.is_string() && !token.is_number_integer()) return {};
  auto last = std::chrono::steady_clock::now();
  return [this, token, last, said = std::uint64_t{0}](std::uint64_t done,
                                                      std::uint64_t total) mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < kBetweenProgress || done <= said) return;
    last = now;
    said = done;
    Json about = {{"progressToken", token}, {"progress", done}};
    if (total > 0) about["total"] = total;
    send_(line_of(
        {{"jsonrpc", "2.0"}, {"method", "notifications/progress"}, {"params", std::move(about)}}));
  };
}

}  // namespace stepscope::mcp
