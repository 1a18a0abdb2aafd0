// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "collectors/launcher/group_watch.hpp"

namespace stepscope::launcher {
namespace {

constexpr int kForwarded[] = {SIGINT,  SIGTERM, SIGHUP,   SIGQUIT, SIGUSR1,
                              SIGUSR2, SIGALRM, SIGWINCH, SIGCONT};
constexpr timespec kIdle{10, 0};

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kForwarded) sigaddset(&set, number);
  sigaddset(&set, SIGCHLD);
  return set;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// An ignored SIGCHLD, as some daemons pass it on, would take the child's end away from waitpid.
class ChildSignal {
 public:
  ChildSignal() { sigaction(SIGCHLD, &kDefault, &before_); }
  ChildSignal(const ChildSignal&) = delete;
  ~ChildSignal() { restore(); }
  void restore() const { sigaction(SIGCHLD, &before_, nullptr); }

 private:
  static constexpr struct sigaction kDefault {};
  struct sigaction before_ {};
};

[[noreturn]] void exec_child(const std::vector<char*>& argv, const std::vector<char*>& environment,
                             const sigset_t& mask, const ChildSignal& child_signal,
                             int error_pipe) {
  child_signal.restore();
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvpe(argv[0], argv.data(), environment.data());
  const int error = errno;
  (void)!write(error_pipe, &error, sizeof(error));
  _exit(127);
}

// 0 where exec succeeded: the pipe closes without a byte.
int read_exec_error(int pipe) {
  int error = 0;
  ssize_t bytes = 0;
  do bytes = read(pipe, &error, sizeof(error));
  while (bytes < 0 && errno == EINTR);
  close(pipe);
  return bytes == sizeof(error) ? error : 0;
}

void wait_for(ChildEnd& end, const sigset_t& watched, GroupWatch& group,
              const std::function<void(pid_t)>& idle) {
  while (waitpid(end.pid, &end.status, WNOHANG) == 0) {
    siginfo_t info{};
    const int number = sigtimedwait(&watched, &info, &kIdle);
    if (number < 0) {
      if (errno == EAGAIN) idle(end.pid);
    } else if (number != SIGCHLD && !group.group_got(number) && info.si_code != SI_KERNEL) {
      kill(end.pid, number);
    }
  }
}

}  // namespace

int exit_status_of(const ChildEnd& end) {
  if (end.exec_error == ENOENT || end.exec_error == ENOTDIR) return 127;
  if (end.exec_error != 0) return 126;
  return WIFSIGNALED(end.status) ? 128 + WTERMSIG(end.status) : WEXITSTATUS(end.status);
}

ChildEnd run_child(const std::vector<std::string>& command, const Environment& environment,
                   const std::function<void(pid_t)>& idle) {
  std::vector<std::string> words = command, variables;
  for (const auto& [key, value] : environment)
    variables.push_back(fmt::format("{}={}", key, value));
  const std::vector<char*> argv = pointers(words), envp = pointers(variables);

  ChildEnd end;
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return {-1, errno, 0};
  const ChildSignal child_signal;
  const sigset_t watched = watched_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &watched, &before);
  GroupWatch group;
  end.pid = fork();
  if (end.pid == 0) exec_child(argv, envp, before, child_signal, pipe_ends[1]);
  const int fork_error = errno;
  close(pipe_ends[1]);
  if (end.pid < 0) {
    close(pipe_ends[0]);
    end.exec_error = fork_error;
  } else {
    end.exec_error = read_exec_error(pipe_ends[0]);
    wait_for(end, watched, group, idle);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return end;
}

}  // namespace stepscope::launcher
