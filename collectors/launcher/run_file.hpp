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

}  // namespace stepscope::launcher
