// SPDX-License-Identifier: Apache-2.0
// A trainer as processes: what a shell sees of it, its ranks, and how they end.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace stepscope::trainers {

struct Outcome {
  int status = -1;
  std::string output;
};

inline Outcome run_in_shell(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  Outcome outcome;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    outcome.output.append(buffer, got);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

constexpr const char* kStderrOnly = "2>&1 >/dev/null";

// The ranks that a process has started: pids by rank, 0 where it is not found.
inline std::vector<pid_t> ranks_of(pid_t parent, std::size_t size) {
  std::vector<pid_t> ranks(size);
  for (const std::filesystem::directory_entry& entry :
       std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream stat(entry.path() / "stat");
    const std::string line{std::istreambuf_iterator<char>(stat), {}};
    const std::size_t behind_name = line.rfind(')');
    if (behind_name == std::string::npos) continue;
    if (std::stol(line.substr(behind_name + 4)) != parent) continue;  // ") S ppid"
    std::ifstream environment(entry.path() / "environ");
    const std::string all{std::istreambuf_iterator<char>(environment), {}};
    for (std::size_t rank = 0; rank < size; ++rank) {
      const std::string entry_of_rank = '\0' + std::string("RANK=") + std::to_string(rank) + '\0';
      if (all.find(entry_of_rank) != std::string::npos) ranks[rank] = std::stoi(name);
    }
  }
  return ranks;
}

inline std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The program as a child of this process, its stderr in a file.
inline pid_t start(const char* program, const std::vector<std::string>& arguments,
                   const std::string& stderr_file) {
  std::vector<char*> argv{const_cast<char*>(program)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  const int file = open(stderr_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, 2);
  execv(program, argv.data());
  _exit(127);
}

inline bool wait_until(const std::function<bool()>& condition) {
  for (int i = 0; i < 3000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

struct Ending {
  int status = 0;
  double seconds = 0;
  std::string said;
};

// Three ranks (--nproc 3) that would train for hours; one gets a signal once `line` was said.
inline Ending ending_of_ranks(const char* program, const std::vector<std::string>& arguments,
                              const std::string& line, const std::string& said_file,
                              std::size_t rank, int signal) {
  using Clock = std::chrono::steady_clock;
  std::filesystem::remove(said_file);
  const pid_t parent = start(program, arguments, said_file);
  EXPECT_TRUE(wait_until([&] { return text_of(said_file).find(line) != std::string::npos; }));
  const std::vector<pid_t> ranks = ranks_of(parent, 3);
  const auto begin = Clock::now();
  EXPECT_GT(ranks[rank], 0);
  if (ranks[rank] > 0) kill(ranks[rank], signal);
  Ending ending;
  const bool ended = wait_until([&] { return waitpid(parent, &ending.status, WNOHANG) == parent; });
  if (!ended) kill(parent, SIGKILL), waitpid(parent, nullptr, 0);
  EXPECT_TRUE(ended);
  ending.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  for (const pid_t one : ranks) EXPECT_TRUE(one > 0 && kill(one, 0) != 0) << "still there";
  ending.said = text_of(said_file);
  return ending;
}

}  // namespace stepscope::trainers
