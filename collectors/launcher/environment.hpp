// SPDX-License-Identifier: Apache-2.0
// The environment of the profiled command: the user's own, with the injected library in its three
// ways.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collectors/launcher/profile.hpp"

namespace stepscope::launcher {

using Environment = std::map<std::string, std::string>;

Environment current_environment();

// libstepscope_inject.so: STEPSCOPE_INJECT_LIBRARY, else beside the executable, in ../lib, or in
// the build tree. Empty where there is none.
std::string find_inject_library();

struct Injection {
  std::string shared_object;  // the injected one
  std::string folder;         // NAME.scope
  bool preload = true;        // false: the program must be first in the loader's order
};

// Adds to `environment`; returns the rivals found there: a foreign CUDA_INJECTION64_PATH or
// NVTX_INJECTION64_PATH is left in place and named. The user's LD_PRELOAD stays in front.
// A run within a run, also of another stepscope, takes the program over.
// Options that an outer `stepscope profile` left there are taken out.
std::vector<std::string> add_injection(Environment& environment, const Injection& injection,
                                       const ProfileOptions& options);

}  // namespace stepscope::launcher
