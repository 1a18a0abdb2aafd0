// SPDX-License-Identifier: Apache-2.0
#include "cli/programs/profiled_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <vector>

#include "cli/programs/interruption.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kLastLines = 5;

std::vector<std::string> words_of(const std::string& command, const std::string& name,
                                  const ProfiledRunOptions& options) {
  std::vector<std::string> out = {"stepscope", "profile", "-o", name, "--level", options.level};
  if (!options.start_after.empty()) out.insert(out.end(), {"--start-after", options.start_after});
  if (!options.steps.empty()) out.insert(out.end(), {"--steps", options.steps});
  out.insert(out.end(), {"--", "/bin/sh", "-c", command});
  return out;
}

// Returns the status as a shell reports it. Signals are passed on while the child cannot have been
// waited for yet.
int wait_for(pid_t child) {
  int ended = 0, status = 0;
  {
    const Interruption::PassedOn told(child);
    siginfo_t unused;
    do ended = waitid(P_PID, static_cast<id_t>(child), &unused, WEXITED | WNOWAIT);
    while (ended != 0 && errno == EINTR);
  }
  do ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended < 0) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The exit status, or -1 with errno where it never started.
int run_into(const std::string& log, const std::string& program,
             const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t pid = -1;
  const int failure = posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return errno = failure, -1;
  return wait_for(pid);
}

std::string last_lines(const std::string& log) {
  std::deque<std::string> lines;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    const bool ours = line.starts_with("stepscope: recorded") ||
                      line.starts_with("stepscope: now run") ||
                      line.starts_with("stepscope: /bin/sh ended with");
    if (ours) continue;
    lines.push_back(line);
    if (lines.size() > kLastLines) lines.pop_front();
  }
  return fmt::format("{}", fmt::join(lines, " | "));
}

// `status` as run_into gives it, while errno is still its own.
Status outcome_of(const std::string& command, const std::string& log, int status) {
  if (status == 0) return Done{};
  if (status < 0) return io_error(std::string("cannot be started: ") + std::strerror(errno));
  const std::string printed = last_lines(log);
  return bad_input(fmt::format("the command '{}' ended with {}{}", command, status,
                               printed.empty() ? "" : "; it printed: " + printed));
}

}  // namespace

Status run_profiled(const std::string& command, const std::string& name,
                    const ProfiledRunOptions& options) {
  std::error_code error;
  if (std::filesystem::exists(name + ".scope", error))
    return bad_input(name + ".scope: is there already, of an earlier run; keep this one elsewhere");
  const std::string log = name + ".log";
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  Status ran = outcome_of(command, log, run_into(log, self, words_of(command, name, options)));
  if (!ran || std::filesystem::exists(name + ".scope", error)) return ran;
  return bad_input(
      fmt::format("the command '{}' recorded nothing; it printed: {}", command, last_lines(log)));
}

Status run_plain(const std::string& command, const std::string& name) {
  const std::string log = name + ".log";
  return outcome_of(command, log, run_into(log, "/bin/sh", {"sh", "-c", command}));
}

}  // namespace stepscope
