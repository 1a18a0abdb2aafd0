// SPDX-License-Identifier: Apache-2.0
// signal_counter FD: writes its pid to FD, and ends with the number of SIGTERMs that it was sent
// until a quarter of a second passed without one.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

int main(int argc, char** argv) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  const pid_t self = getpid();
  if (argc != 2 || write(std::atoi(argv[1]), &self, sizeof self) != sizeof self) return 100;
  int count = 0;
  timespec wait{10, 0};
  while (sigtimedwait(&set, nullptr, &wait) == SIGTERM) {
    ++count;
    wait = {0, 250'000'000};
  }
  return count;
}
