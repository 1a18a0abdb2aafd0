// SPDX-License-Identifier: Apache-2.0
// stepscope mcp [TRACE...]: serves runs to a coding agent until its input ends.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>

#include "cli/mcp/server.hpp"
#include "cli/output/failure.hpp"
#include "cli/verbs/verbs.hpp"
#include "core/importers/load.hpp"

namespace stepscope {
namespace {

constexpr const char* kMcpExamples =
    "Examples:\n"
    "  stepscope mcp                   an agent names the runs in its questions\n"
    "  stepscope mcp run.scope         this run where a question names none\n"
    "  claude mcp add stepscope -- stepscope mcp\n"
    "A server of the Model Context Protocol: JSON-RPC 2.0, one message a line, on stdin and "
    "stdout.\n"
    "An agent starts it; you do not talk to it by hand. Tools: traces, report, findings, explain,\n"
    "whatif, diff, gate, table, steps, events, event. Each answer is under 4 KB and says how to "
    "ask\n"
    "for more; each number is that of 'stepscope report' or 'diff'. Traces are read, nothing is\n"
    "written. 'stepscope help agents': other agents' configuration, and a session.";

struct McpArguments {
  std::vector<std::string> traces;
  std::uint64_t memory = std::uint64_t{4} << 30U;
};

// Standard output belongs to the protocol alone: whatever else prints goes to stderr.
int take_stdout() {
  const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return out;
}

bool write_whole(int out, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::write(out, text.data(), text.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

int run_mcp(const McpArguments& arguments) {
  for (const std::string& path : arguments.traces)
    if (std::error_code error; !std::filesystem::exists(path, error))
      return fail("mcp", path,
                  io_error("there is no such file or folder" + hint_for_missing(path)));
  std::signal(SIGPIPE, SIG_IGN);
  const int out = take_stdout();
  if (out < 0) return fail("mcp", "", io_error("standard output is closed"));
  bool connected = true;
  mcp::Runs runs(arguments.traces, arguments.memory);
  mcp::Server server(runs, [&](const std::string& line) {
    connected = connected && write_whole(out, line + "\n");
  });
  mcp::LineSource lines(STDIN_FILENO, mcp::kLongestLine);
  for (auto line = lines.next(); line && connected; line = lines.next()) server.receive(*line);
  close(out);
  return kExitPass;
}

}  // namespace

void add_mcp_verb(CLI::App& app, int& status) {
  auto arguments = std::make_shared<McpArguments>();
  CLI::App* verb =
      app.add_subcommand("mcp", "Serve runs to a coding agent (Model Context Protocol over stdio)");
  verb->add_option("TRACE", arguments->traces, "Runs that the agent may ask about");
  verb->add_option("--memory", arguments->memory,
                   "bytes of loaded runs to keep, like 500MB; by default 4GB. The run asked for "
                   "last is kept however large it is")
      ->transform(CLI::AsSizeValue(true))
      ->type_name("SIZE");
  verb->footer(kMcpExamples);
  verb->callback([arguments, &status] { status = run_mcp(*arguments); });
}

}  // namespace stepscope
