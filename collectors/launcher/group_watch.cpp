// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/group_watch.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace stepscope::launcher {
namespace {

constexpr int kPatience_ms = 1000;

// Closes descriptors, so that nobody waits for the end of a pipe that this process alone holds.
void close_from(int lowest) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, lowest, ~0U, 0) == 0) return;
#endif
  const long most = std::min(sysconf(_SC_OPEN_MAX), 65'536L);
  for (int number = lowest; number < most; ++number) close(number);
}

// Ends with the launcher, whose end of the socket closes then.
[[noreturn]] void watch(int socket) {
  prctl(PR_SET_NAME, "stepscope-group");
  dup2(socket, 0);
  close_from(1);
  int wanted = 0;
  while (recv(0, &wanted, sizeof(wanted), 0) == sizeof(wanted)) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, wanted);
    const timespec now{};
    const char got = sigtimedwait(&one, nullptr, &now) == wanted ? 1 : 0;
    if (send(0, &got, 1, MSG_NOSIGNAL) != 1) break;
  }
  _exit(0);
}

}  // namespace

GroupWatch::GroupWatch() noexcept {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  watcher_ = fork();
  if (watcher_ == 0) {
    close(ends[0]);
    watch(ends[1]);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(ends[1]);
  socket_ = ends[0];
}

GroupWatch::~GroupWatch() {
  if (socket_ >= 0) close(socket_);
  if (watcher_ < 0) return;
  kill(watcher_, SIGKILL);
  waitpid(watcher_, nullptr, 0);
}

bool GroupWatch::group_got(int signal_number) noexcept {
  char got = 0;
  pollfd answer{socket_, POLLIN, 0};
  if (watcher_ < 0 || send(socket_, &signal_number, sizeof(signal_number), MSG_NOSIGNAL) < 0)
    return false;
  return poll(&answer, 1, kPatience_ms) == 1 && recv(socket_, &got, 1, 0) == 1 && got == 1;
}

}  // namespace stepscope::launcher
