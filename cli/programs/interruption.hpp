// SPDX-License-Identifier: Apache-2.0
// Ctrl-C (SIGINT), SIGTERM and SIGHUP while this lives: the first is noted, so that a verb that
// measures can report what it has; a second one ends the process as it would have without this. A
// hang-up that is ignored, as under nohup, stays ignored.
#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>

namespace stepscope {

class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool came();

  // While this lives the child process gets SIGTERM for what came, also for what came before it was
  // started. Only for a child that was not waited for: another process may have its id afterwards.
  class PassedOn {
   public:
    explicit PassedOn(pid_t child);
    ~PassedOn();
    PassedOn(const PassedOn&) = delete;
    PassedOn& operator=(const PassedOn&) = delete;
  };

 private:
  std::array<struct sigaction, 3> before_{};
};

}  // namespace stepscope
