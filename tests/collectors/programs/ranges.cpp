// SPDX-License-Identifier: Apache-2.0
// ranges MODE: records 200 NVTX ranges over a quarter of a second, prints a line, and ends in the
// way that MODE names. The program knows nothing of stepscope but the annotation header.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <stepscope/annotate.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

void work(const char* name, int count) {
  for (int i = 0; i < count; ++i) {
    const auto range = stepscope::phase(name);
    usleep(1'000);
  }
}

void work_in_steps(int steps) {
  for (int i = 0; i < steps; ++i) work(("step " + std::to_string(i)).c_str(), 1);
}

void fork_workers(int workers) {
  for (int i = 0; i < workers; ++i) {
    if (fork() == 0) {
      work("worker", 50);
      _exit(0);
    }
  }
  while (wait(nullptr) > 0) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "return";
  work("work", 200);
  std::printf("worked, then %s\n", mode.c_str());
  std::fflush(stdout);
  if (mode == "exit") std::exit(3);
  if (mode == "quick_exit") _exit(5);
  if (mode == "sigterm") raise(SIGTERM);
  if (mode == "sigkill") raise(SIGKILL);
  if (mode == "abort") std::abort();
  if (mode == "segv") raise(SIGSEGV);
  if (mode == "steps") work_in_steps(20);
  if (mode == "fork") fork_workers(4);
  if (mode == "exec") execl(argv[0], argv[0], "return", nullptr);
  if (mode == "wait") pause();  // for a signal from outside
  return 0;
}
