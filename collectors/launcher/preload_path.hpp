// SPDX-License-Identifier: Apache-2.0
// A path of the injected library that LD_PRELOAD can hold. The loader separates its libraries at
// spaces and colons and expands a '$', so a library whose own path holds one of these is named
// through a link:
//
//   TMPDIR/stepscope-UID/HASH/libstepscope_inject.so -> the library
//
// The folder belongs to the user and nobody else may write into it. It stays behind the run, because
// programs that the command started may outlive it and start others.
#pragma once

#include <string>

#include "core/support/result.hpp"

namespace stepscope::launcher {

// Whether the loader can read the path out of LD_PRELOAD.
bool is_preloadable(const std::string& path);

// Returns `library` itself where that is preloadable, else a link to it in `folder`, which is made
// where it is missing.
Result<std::string> preload_path(const std::string& library, const std::string& folder);

// The folder for such links: in TMPDIR where that is preloadable, else in /tmp.
std::string link_folder();

}  // namespace stepscope::launcher
