// SPDX-License-Identifier: Apache-2.0
// Moves the records that dead processes left in NAME.scope/live/ into their .sst files. For the
// launcher: after its command has ended, and now and then before (forked workers end without a
// word).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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

// Space on the disk that a recording reserves for its own end, in live/STEM.last. When the disk
// becomes full, the space is released, so that the last facts, a note and the footer still fit into
// the store. The remaining file says why; the launcher prints it and removes the file
// (salvage.hpp).

inline constexpr std::string_view kLastSpaceSuffix = ".last";

// False where there is no such space; the recording goes on without it.
bool keep_last_space(const char* path) noexcept;
// Frees the space but for the text. The text is written into blocks that are there already, which a
// full disk allows.
void give_up_last_space(const char* path, std::string_view why) noexcept;
// Returns why the space was given up; empty where it was not.
std::string last_words(const std::string& path);

}  // namespace stepscope::recorder
