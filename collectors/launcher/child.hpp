// SPDX-License-Identifier: Apache-2.0
// Starts the command and waits for it, passing signals on.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "collectors/launcher/environment.hpp"

namespace stepscope::launcher {

struct ChildEnd {
  pid_t pid = -1;
  int exec_error = 0;  // errno of exec; the command never ran
  int status = 0;      // status as waitpid gives it
};

// Returns the exit status as a shell reports it: the status, 128 + n for a signal, 127 not found,
// 126 not executable.
int exit_status_of(const ChildEnd& end);

// Signals sent to this process go on to the child; those that the terminal or anybody else sends to
// the process group reach it directly, once.
// `idle` is called about once in ten seconds, with the child's pid.
ChildEnd run_child(const std::vector<std::string>& command, const Environment& environment,
                   const std::function<void(pid_t)>& idle);

}  // namespace stepscope::launcher
