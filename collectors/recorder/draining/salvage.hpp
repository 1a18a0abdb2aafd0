// SPDX-License-Identifier: Apache-2.0
// Moves the records that dead processes left in NAME.scope/live/ into their .sst files. For the
// launcher: after its command has ended, and now and then before (forked workers end without a
// word).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/recorder/live_files/liveness.hpp"
#include "core/model/entities.hpp"
#include "core/support/result.hpp"

namespace stepscope::recorder {

struct ProcessEnd {
  std::int64_t pid = 0;
  ExitReason reason = ExitReason::unknown;
  std::int32_t status = 0;
};

struct Salvage {
  std::uint32_t recovered = 0;  // dead processes whose rings were emptied
  std::uint32_t running = 0;    // still alive, or that cannot be found out from here: left alone
  std::vector<std::int64_t> recording;  // the running processes that have recorded something
  std::vector<std::string> problems;    // what could not be saved, or not be written in the run
};

// `ends`: how processes ended, as far as the caller knows. A pid that lives on with another session
// went through exec. still_running: left alone.
Salvage salvage(const std::string& folder, const std::vector<ProcessEnd>& ends,
                Depth depth = Depth::full);

}  // namespace stepscope::recorder
