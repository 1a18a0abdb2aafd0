// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0 messages as the Model Context Protocol uses them over stdio: one a line, UTF-8,
// without line breaks inside.
//
//   request        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {...}}
//   notification   the same without "id": never answered
//   answer         {"jsonrpc": "2.0", "id": 7, "result": {...}} or "error": {"code", "message"}
//
// An id is a string or an integer; null where a message was too broken to read its id. A list of
// messages (a batch, of protocol 2025-03-26) is answered by a list.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace stepscope::mcp {

using Json = nlohmann::ordered_json;

enum RpcCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
};

struct RpcError {
  RpcCode code = kInternalError;
  std::string message;
};

struct Request {
  std::optional<Json> id;  // absent: a notification
  std::string method;
  Json params = Json::object();
};

struct NoRequest {};  // an answer of the client's, to nothing that was asked

// Reads a message that is JSON. `id` is set as soon as it is known, for the answer to a broken one.
std::variant<Request, NoRequest, RpcError> read_request(const Json& message, Json& id);

Json answer_json(const Json& id, Json result);
Json error_json(const Json& id, const RpcError& error);

// Whether brackets in `text` (outside of its strings) are open more than `most` deep at once: such
// input is refused before it is parsed, since to copy it would take a stack frame a level.
bool is_nested_deeper(std::string_view text, std::size_t most);

// One line, without its end. Bytes that are no UTF-8 are replaced.
std::string line_of(const Json& message);

}  // namespace stepscope::mcp
