// SPDX-License-Identifier: Apache-2.0
// Any bytes as the input of `stepscope mcp`: no crash, each answer is one line of JSON-RPC, a
// notification has none, and the session goes on.
//
// Compiled into cli_test; under libFuzzer: clang++ -fsanitize=fuzzer,address with stepscope_cli and
// -DSTEPSCOPE_LIBFUZZER.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/mcp/server.hpp"

namespace stepscope::mcp {
namespace {

void require_mcp(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "mcp_fuzz: %s\n", what.c_str());
  std::abort();
}

void check_answer(const std::string& line) {
  require_mcp(line.find('\n') == std::string::npos, "an answer of several lines");
  const Json answer = Json::parse(line, nullptr, false);
  require_mcp(answer.is_object() || answer.is_array(), "an answer that is no JSON: " + line);
  if (answer.is_object())
    require_mcp(answer.value("jsonrpc", "") == "2.0" &&
                    (answer.contains("result") != answer.contains("error")),
                "an answer that is no JSON-RPC: " + line);
}

void try_session(const std::string& bytes, std::size_t longest) {
  const int file = ::memfd_create("mcp_fuzz", 0);
  require_mcp(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
              "cannot write the input");
  ::lseek(file, 0, SEEK_SET);
  std::size_t answers = 0;
  Runs runs({}, 1U << 20U);
  Server server(runs, [&answers](const std::string& line) {
    check_answer(line);
    ++answers;
  });
  LineSource lines(file, longest);
  for (auto line = lines.next(); line; line = lines.next()) server.receive(*line);
  const std::size_t before = answers;
  server.receive({.text = R"({"jsonrpc": "2.0", "id": 1, "method": "ping"})"});
  require_mcp(answers == before + 1, "the session does not go on");
  ::close(file);
}

}  // namespace
}  // namespace stepscope::mcp

#ifdef STEPSCOPE_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stepscope::mcp::try_session(std::string(reinterpret_cast<const char*>(data), size), 1 << 20);
  return 0;
}
#else
#include <gtest/gtest.h>

#include "tests/fuzz/mutations.hpp"

namespace stepscope::mcp {
namespace {

TEST(McpFuzz, MutationsOfSessionsNeverCrash) {
  const std::string session =
      R"({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}})"
      "\n"
      R"({"jsonrpc": "2.0", "method": "notifications/initialized"})"
      "\n"
      R"({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "explain", "arguments": {"id": "host_sync", "cursor": 9, "limit": 2}}})"
      "\n"
      R"([{"jsonrpc": "2.0", "id": 2, "method": "ping"}, {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "event", "arguments": {"trace": "no", "id": "h1"}, "_meta": {"progressToken": 4}}}])"
      "\r\n"
      R"({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "gate", "arguments": {"candidate": ["x"], "policy": {"budgets": ["host_syncs <= 0"]}}}})"
      "\n";
  Mutations mutations({session},
                      {"\"",
                       "\\",
                       "{",
                       "}",
                       "[",
                       "]",
                       ",",
                       ":",
                       "\n",
                       "null",
                       "-1",
                       "1e400",
                       "18446744073709551615",
                       "\\u0000",
                       "\\ud83d",
                       "\xFF",
                       "\"id\": 1, ",
                       "\"arguments\": ",
                       "\"params\": [",
                       "true",
                       "\"method\": \"ping\"",
                       std::string(1, '\0'),
                       std::string(400, '['),
                       std::string(300, 'x')},
                      20261125);
  for (int i = 0; i < 1'500; ++i) try_session(mutations.next(), i % 2 == 0 ? 1 << 20 : 120);
}

TEST(McpFuzz, DeepNestingIsNoDeepStack) {
  std::string deep(900'000, '[');
  try_session(deep + "\n", 1 << 20);
  try_session(deep + std::string(900'000, ']') + "\n", 1 << 22);
  try_session(R"({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": )" +
                  std::string(100'000, '[') + std::string(100'000, ']') + "}}\n",
              1 << 20);
}

}  // namespace
}  // namespace stepscope::mcp
#endif
