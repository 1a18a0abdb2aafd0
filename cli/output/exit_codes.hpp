// SPDX-License-Identifier: Apache-2.0
// The exit codes of every verb. `profile` and `train` pass on the status of the command they run
// (128 + n for a signal n); not_executable and not_found are theirs when it never started.
#pragma once

#include "core/support/result.hpp"

namespace stepscope {

enum ExitCode : int {
  kExitPass = 0,
  kExitRegression = 1,
  kExitUsage = 2,
  kExitInconclusive = 3,  // sound input, but no honest answer; also: runs that cannot be compared
  kExitBadInput = 4,      // corrupt or unsupported input; a file that cannot be read or written
  kExitNotExecutable = 126,
  kExitNotFound = 127,
};

inline ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return kExitUsage;
    case ErrorCode::inconclusive:
      return kExitInconclusive;
    case ErrorCode::bad_input:
    case ErrorCode::io:
    case ErrorCode::unsupported:
      break;
  }
  return kExitBadInput;
}

inline constexpr const char* kExitCodesHelp =
    "Exit codes: 0 pass; 1 regression; 2 usage; 3 inconclusive (no step counts, or not "
    "comparable);\n"
    "4 bad input, or a file that cannot be read or written. profile and train pass on the status "
    "of\n"
    "what they run (128 + n for signal n); 126 not executable, 127 not found.";

}  // namespace stepscope
