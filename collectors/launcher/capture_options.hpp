// SPDX-License-Identifier: Apache-2.0
// When to record, as the user wrote it, and as the injected library reads it from the environment.
#pragma once

#include <string>

#include "core/support/result.hpp"

namespace stepscope {

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

}  // namespace stepscope
