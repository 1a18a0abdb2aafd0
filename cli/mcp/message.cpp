// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/message.hpp"

namespace stepscope::mcp {
namespace {

bool is_id(const Json& value) {
  return value.is_string() || value.is_number_integer();
}

bool is_answer(const Json& message) {
  return !message.contains("method") && (message.contains("result") || message.contains("error"));
}

RpcError invalid(const char* what) {
  return {kInvalidRequest, what};
}

}  // namespace

std::variant<Request, NoRequest, RpcError> read_request(const Json& message, Json& id) {
  id = nullptr;
  if (!message.is_object()) return invalid("a message is a JSON object");
  if (message.contains("id") && is_id(message["id"])) id = message["id"];
  if (message.value("jsonrpc", Json()) != "2.0") return invalid("jsonrpc: must be \"2.0\"");
  if (is_answer(message)) return NoRequest{};
  if (!message.contains("method") || !message["method"].is_string())
    return invalid("method: must be a string");
  if (message.contains("id") && id.is_null()) return invalid("id: must be a string or an integer");
  Request out{.id = {}, .method = message["method"]};
  if (!id.is_null()) out.id = id;
  if (!message.contains("params")) return out;
  if (!message["params"].is_object()) return invalid("params: must be an object");
  out.params = message["params"];
  return out;
}

Json answer_json(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json error_json(const Json& id, const RpcError& error) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(error.code)}, {"message", error.message}}}};
}

bool is_nested_deeper(std::string_view text, std::size_t most) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (in_string) continue;
    if ((c == '[' || c == '{') && ++depth > most) return true;
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return false;
}

std::string line_of(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace stepscope::mcp
