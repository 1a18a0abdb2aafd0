// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/local_ranks.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "reference_trainers/comm/rank_environment.hpp"

extern char** environ;

namespace stepscope::trainers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kGrace{8};  // for what a rank has to say when another has failed
constexpr std::chrono::milliseconds kGlance{20};

// A free port, held open so that no other program takes it before rank 0 serves there.
struct HeldPort {
  int socket = -1;
  std::uint16_t port = 0;
};

Result<HeldPort> hold_a_port() {
  HeldPort held{.socket = socket(AF_INET, SOCK_STREAM, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (held.socket < 0 || bind(held.socket, any, size) != 0 ||
      getsockname(held.socket, any, &size) != 0)
    return io_error(fmt::format("no port for the ranks: {}", std::strerror(errno)));
  held.port = ntohs(address.sin_port);
  return held;
}

// This process's, with what rank_environment() reads set anew.
std::vector<std::string> environment_of(int rank, int count, const HeldPort& held) {
  const std::vector<std::pair<std::string, std::string>> own{
      {"RANK", std::to_string(rank)},
      {"WORLD_SIZE", std::to_string(count)},
      {"LOCAL_RANK", std::to_string(rank)},
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", std::to_string(held.port)},
      {kStoreSocketVariable, std::to_string(rank == 0 ? held.socket : -1)}};
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string entry(*one);
    const std::string name = entry.substr(0, entry.find('='));
    const bool replaced = std::any_of(own.begin(), own.end(),
                                      [&](const auto& variable) { return variable.first == name; });
    if (!replaced && name != "TORCHELASTIC_USE_AGENT_STORE") all.push_back(entry);
  }
  for (const auto& [name, value] : own) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

// By its name, so that ps and traces show it; where there is none any more, as the kernel has it.
constexpr const char* kThisProgram = "/proc/self/exe";
std::string name_of_this_program() {
  std::error_code error;
  const std::filesystem::path name = std::filesystem::read_symlink(kThisProgram, error);
  return error ? kThisProgram : name.string();
}

// Between fork and exec only what a signal handler may do.
pid_t start(const std::vector<std::string>& environment, char* const* arguments) {
  std::vector<char*> entries;
  for (const std::string& entry : environment) entries.push_back(const_cast<char*>(entry.c_str()));
  entries.push_back(nullptr);
  const std::string program = name_of_this_program();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == parent) {
    execve(program.c_str(), arguments, entries.data());
    execve(kThisProgram, arguments, entries.data());
  }
  _exit(127);
}

class Ranks {
 public:
  explicit Ranks(const std::function<void(const std::string&)>& say) : say_(say) {}
  ~Ranks() { kill_all(); }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  void add(pid_t process) { processes_.push_back(process), ++running_; }

  int wait() {
    auto end = Clock::time_point::max();
    while (running_ > 0) {
      const bool failed_before = status_ != 0;
      collect();
      if (status_ != 0 && !failed_before) end = Clock::now() + kGrace;
      if (Clock::now() > end) kill_all();
      std::this_thread::sleep_for(kGlance);
    }
    return status_;
  }

 private:
  void collect() {
    for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
      int status = 0;
      if (processes_[rank] <= 0 || waitpid(processes_[rank], &status, WNOHANG) != processes_[rank])
        continue;
      processes_[rank] = 0;
      --running_;
      if (status == 0) continue;
      if (WIFSIGNALED(status))
        say_(fmt::format("rank {} was ended by signal {} ({})", rank, WTERMSIG(status),
                         strsignal(WTERMSIG(status))));
      else
        say_(fmt::format("rank {} ended with exit status {}", rank, WEXITSTATUS(status)));
      if (status_ == 0) status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }
  }
  void kill_all() {
    for (const pid_t process : processes_)
      if (process > 0) kill(process, SIGKILL);
  }

  const std::function<void(const std::string&)>& say_;
  std::vector<pid_t> processes_;
  int running_ = 0;
  int status_ = 0;
};

}  // namespace

Result<int> run_local_ranks(int count, char* const* arguments,
                            const std::function<void(const std::string&)>& say) {
  const Result<HeldPort> held = hold_a_port();
  if (!held) return held.error();
  Ranks ranks(say);
  for (int rank = 0; rank < count; ++rank) {
    const pid_t process = start(environment_of(rank, count, *held), arguments);
    if (process < 0) return io_error(fmt::format("rank {}: {}", rank, std::strerror(errno)));
    ranks.add(process);
  }
  close(held->socket);
  return ranks.wait();
}

}  // namespace stepscope::trainers
