// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/bounded_work.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>

namespace stepscope::launcher {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNiceness = 10;
constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kEnding) sigaddset(&set, number);
  return set;
}

// The work's own word on why it failed goes through the pipe; none: it was done.
[[noreturn]] void work_in_child(const std::function<Status()>& work, int pipe) {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  (void)!nice(kNiceness);
  std::string why;
  try {
    if (const Status done = work(); !done) why = done.error().message;
  } catch (const std::exception& error) {
    why = error.what();
  }
  (void)!write(pipe, why.data(), why.size());
  _exit(0);
}

// Returns false at the deadline, and where a signal asks this process to end.
bool wait_for_end_of(int pipe, Clock::time_point deadline, std::string& said) {
  const sigset_t ending = ending_signals();
  constexpr timespec kNow{0, 0};
  for (;;) {
    if (sigtimedwait(&ending, nullptr, &kNow) > 0 || Clock::now() >= deadline) return false;
    pollfd watched{pipe, POLLIN, 0};
    if (poll(&watched, 1, 50) <= 0) continue;
    char text[512];
    const ssize_t bytes = read(pipe, text, sizeof text);
    if (bytes == 0) return true;
    if (bytes > 0) said.append(text, static_cast<std::size_t>(bytes));
  }
}

}  // namespace

std::string do_bounded(const std::function<Status()>& work, std::chrono::milliseconds longest) {
  int ends[2];
  if (pipe(ends) != 0) return std::strerror(errno);
  const sigset_t ending = ending_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &ending, &before);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    work_in_child(work, ends[1]);
  }
  close(ends[1]);
  std::string why = child < 0 ? std::strerror(errno) : "";
  if (child > 0) {
    const bool ended = wait_for_end_of(ends[0], Clock::now() + longest, why);
    if (!ended) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!ended)
      why = fmt::format("it was not done within {:.0f} s, or a signal ended it",
                        std::chrono::duration<double>(longest).count());
    else if (WIFSIGNALED(status))
      why = strsignal(WTERMSIG(status));
  }
  close(ends[0]);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return why;
}

}  // namespace stepscope::launcher
