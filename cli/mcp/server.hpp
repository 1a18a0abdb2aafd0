// SPDX-License-Identifier: Apache-2.0
// The server's side of a session of the Model Context Protocol: initialize, ping, tools/list,
// tools/call. A line in, its answers out; notifications are never answered, and a cancellation is
// of no effect, since calls are answered in turn.
//
//   -32700 a line that is no JSON, or longer than the bound     -32601 an unknown method
//   -32600 JSON that is no message                              -32602 an unknown tool, bad params
//
// What a tool finds wrong with its arguments or files is an answer with isError, which a model sees
// and can correct.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/mcp/line_source.hpp"
#include "cli/mcp/message.hpp"
#include "cli/mcp/runs.hpp"

namespace stepscope::mcp {

inline constexpr std::size_t kLongestLine = 1 << 20;

class Server {
 public:
  using Send = std::function<void(const std::string& line)>;

  Server(Runs& runs, Send send) : runs_(runs), send_(std::move(send)) {}

  void receive(const Line& line);

 private:
  // Nothing for what is not answered.
  std::optional<Json> answer(const Json& message);
  std::optional<Json> answer_batch(const Json& messages);
  std::variant<Json, RpcError> result_of(const Request& request);
  std::variant<Json, RpcError> call_tool(const Json& params);
  Progress progress_of(const Json& params);

  Runs& runs_;
  Send send_;
};

}  // namespace stepscope::mcp
