// SPDX-License-Identifier: Apache-2.0
#include "collectors/doctor/question.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>

namespace stepscope::doctor {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kAnswered = 42;  // a library that calls exit() has not answered

void lower_limit(decltype(RLIMIT_CORE) which, rlim_t highest) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_cur, highest);
  setrlimit(which, &limit);
}

void leave_terminal() {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDWR);
  for (int stream : {0, 1, 2}) dup2(nothing, stream);
}

[[noreturn]] void answer_in_child(const std::function<void(const Say&)>& question, int to) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  leave_terminal();
  lower_limit(RLIMIT_CORE, 1);  // 1 also stops a handler of core dumps that the kernel would start
  lower_limit(RLIMIT_STACK, rlim_t{8} << 20U);  // a recursion without end would fill the memory
  question([to](const std::string& name, const std::string& value) {
    std::string line = name + "=" + value;
    std::replace(line.begin(), line.end(), '\n', ' ');
    line += '\n';
    if (write(to, line.data(), line.size()) < 0) _exit(1);
  });
  _exit(kAnswered);
}

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

// Reads until the child has closed its end of the pipe, or the time is over.
std::string text_until(int from, Clock::time_point end) {
  std::string text;
  std::array<char, 4096> part{};
  for (pollfd ready{from, POLLIN, 0};;) {
    const int found = poll(&ready, 1, milliseconds_until(end));
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0) return text;
    const ssize_t bytes = read(from, part.data(), part.size());
    if (bytes <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
}

std::optional<int> status_until(pid_t child, Clock::time_point end) {
  for (int status = 0;;) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    if (milliseconds_until(end) == 0) return std::nullopt;
    usleep(2000);
  }
}

std::string failure_of(std::optional<int> status, std::chrono::milliseconds limit) {
  if (!status)
    return fmt::format("gave no answer in {:g} s", static_cast<double>(limit.count()) / 1000);
  if (WIFSIGNALED(*status)) return fmt::format("died: {}", strsignal(WTERMSIG(*status)));
  if (WEXITSTATUS(*status) == kAnswered) return "";
  return fmt::format("ended its process with status {}", WEXITSTATUS(*status));
}

std::vector<std::pair<std::string, std::string>> lines_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> said;
  std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = std::min(line.find('='), line.size() - 1);
    said.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return said;
}

}  // namespace

std::string Answer::value_of(const std::string& name) const {
  const auto at =
      std::find_if(said.begin(), said.end(), [&](const auto& pair) { return pair.first == name; });
  return at == said.end() ? "" : at->second;
}

Answer ask(const std::function<void(const Say&)>& question, std::chrono::milliseconds limit) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return {{}, fmt::format("was not asked: {}", std::strerror(errno))};
  const auto end = Clock::now() + limit;
  const pid_t child = fork();
  if (child == 0) answer_in_child(question, ends[1]);
  close(ends[1]);
  const std::string text = child < 0 ? "" : text_until(ends[0], end);
  close(ends[0]);
  if (child < 0) return {{}, fmt::format("was not asked: {}", std::strerror(errno))};
  const std::optional<int> status = status_until(child, end);
  kill(-child, SIGKILL);  // also what it started
  // A child that waits in the kernel for a device cannot be killed; it is left behind.
  if (!status) (void)status_until(child, Clock::now() + std::chrono::seconds(1));
  return {lines_of(text), failure_of(status, limit)};
}

}  // namespace stepscope::doctor
