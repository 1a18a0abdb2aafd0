// SPDX-License-Identifier: Apache-2.0
// Ctrl-C (SIGINT) and SIGTERM while this lives: the first is noted, so that a verb that measures
// can report what it has; a second one ends the process as it would have without this.
#pragma once

#include <csignal>

namespace stepscope {

class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool came();

 private:
  struct sigaction interrupt_ {
  }, terminate_{};  // as they were
};

}  // namespace stepscope
