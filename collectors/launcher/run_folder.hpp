// SPDX-License-Identifier: Apache-2.0
// An earlier run's folder, in whose place a new one may come (`--overwrite`). Only a folder that
// holds a finished recording and nothing else is ever removed.
#pragma once

#include <string>

#include "core/support/result.hpp"

namespace stepscope::launcher {

// Empty: `folder` is a finished recording and nothing else. Else why it stays: it is a link,
// another program's folder, holds the user's files, or is still being recorded into.
std::string why_it_stays(const std::string& folder);

// Puts `made` in the place of `earlier`, whose recording is removed. An error: both are where they
// were.
Status replace_run(const std::string& earlier, const std::string& made);

// Returns the path as one types it in the current folder: "slow.scope" where it is there, else the
// whole path.
std::string shown_path(const std::string& path);

}  // namespace stepscope::launcher
