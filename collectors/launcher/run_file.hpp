// SPDX-License-Identifier: Apache-2.0
// NAME.scope/run.json, schema "stepscope.run/1": what was run, where, and how it ended. Written
// before the command starts and again behind its end, each time whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectors/launcher/environment.hpp"
#include "core/support/result.hpp"

namespace stepscope::launcher {

struct RunFacts {
  std::vector<std::string> command;
  std::string level;
  bool ops = false;
  std::string only;
  std::vector<std::string> rivals;
  std::int64_t started_ns = 0;
  std::optional<std::int64_t> ended_ns;
  std::optional<int> exit_status;  // the command's exit status
  std::optional<int> signal;
  std::uint32_t processes = 0;  // processes that recorded something
  std::uint32_t recovered = 0;  // how many of these died before their last records were written
};

Status write_run_file(const std::string& folder, const RunFacts& facts,
                      const Environment& environment);

// An earlier run's folder, in whose place a new one may come (`--overwrite`). Only a folder that
// holds a finished recording and nothing else is ever removed.

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
