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

// The properties of a program that the launcher needs before it starts it.

// Finds the program as execvp does: the word itself where it holds a slash, else the first
// executable in PATH; empty where there is none.
std::string find_program(const std::string& word);

// Built with AddressSanitizer (or another one that must come first): LD_PRELOAD would stop it.
bool needs_to_be_first(const std::string& path);

// Has a program interpreter (the loader); a static one ignores LD_PRELOAD. True for what is no ELF
// file.
bool is_dynamic(const std::string& path);

// A tool that traces the device of the program that it starts: CUDA serves one, so it gets the
// device and stepscope the host side.
bool takes_the_device(const std::string& word);

}  // namespace stepscope::launcher
