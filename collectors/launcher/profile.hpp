// SPDX-License-Identifier: Apache-2.0
// `stepscope profile`: runs a command with the injected library, and collects what its processes
// leave.
//
// The command comes first: whatever goes wrong on our side is a message on stderr, and the command
// runs unprofiled. Nothing is written to stdout.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope {

// When to record, as the user wrote it, and as the injected library reads it from the environment.

struct CaptureOptions {
  std::string start_after;  // steps ("200") or time ("30s")
  std::string steps;        // steps or time
  std::string window;       // "ON/OFF" in steps
  std::string range;        // a range's name, or cudaProfilerApi
  std::string signal;       // "USR2", "SIGUSR2", "12"

  bool any() const { return !(start_after + steps + window + range + signal).empty(); }
};

// Converts the options to the library's units: steps as a number, times in "ms", the signal's
// number. Errors: usage.
Result<CaptureOptions> check_capture(const CaptureOptions& options);

struct ProfileOptions {
  std::string output;              // NAME; empty: from the command and the time
  bool overwrite = false;          // an earlier NAME.scope is replaced, if anything was recorded
  std::string level = "standard";  // light, standard, deep
  bool ops = false;
  bool sampling = true;  // samples threads that record nothing
  bool pm_sampling = false;
  bool native_lines = false;  // source lines of compiled programs
  bool source_text = true;    // keep the text of the lines that were recorded
  std::string graphs;         // nodes, whole; empty: by what is in the process
  std::string only;           // POSIX extended regular expression, checked by the caller or here
  std::string lines_in;       // installed packages, with commas between
  CaptureOptions capture;     // as the user wrote them
  std::vector<std::string> command;
};

// Reduces the ranks in a folder that the run has filled to their summaries.
using ReduceRanks = std::function<Status(const std::string& folder)>;

// `reduce` is called behind the run in a process of its own, and for half a minute at most.
// The exit status for the shell: the command's own, 128 + n for signal n, 127 not found, 126 not
// executable, 2 usage.
int run_profile(const ProfileOptions& options, const ReduceRanks& reduce = {});

}  // namespace stepscope
