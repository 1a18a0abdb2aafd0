// SPDX-License-Identifier: Apache-2.0
// One run of a shell's command line under `stepscope profile`, as a process of its own, so that
// what the command prints goes into a file and nothing of it stays in ours.
#pragma once

#include <string>

#include "core/support/result.hpp"

namespace stepscope {

struct ProfiledRunOptions {
  std::string level = "light";
  std::string start_after;  // as `profile` takes them; empty: not given
  std::string steps;
};

// Writes NAME.scope and NAME.log. Errors: bad_input where the command does not end with 0, with the
// last lines that it printed; io.
Status run_profiled(const std::string& command, const std::string& name,
                    const ProfiledRunOptions& options);

// The same without the profiler: writes NAME.log.
Status run_plain(const std::string& command, const std::string& name);

}  // namespace stepscope
