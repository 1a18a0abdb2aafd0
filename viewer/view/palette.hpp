// SPDX-License-Identifier: Apache-2.0
// The palette: everything that can be done or gone to, found by words of its name.
#pragma once

#include <string>
#include <vector>

#include "viewer/view/desk.hpp"

namespace stepscope::viewer {

struct PaletteEntry {
  enum class Kind : std::uint8_t { command, lane, step, finding, mark } kind = Kind::command;
  std::string text;
  std::string key;        // key of a command
  std::size_t index = 0;  // Command, or row of the active session
};

// Those that hold every word of `text`, whatever its case; at most `most`.
std::vector<PaletteEntry> palette_entries(const Desk& desk, const std::string& text,
                                          std::size_t most = 12);
void run_entry(Desk& desk, const PaletteEntry& entry);

}  // namespace stepscope::viewer
