// SPDX-License-Identifier: Apache-2.0
// The options of reading a trace, for every verb that reads one. What an option sets must outlive
// the verb's callback.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/input/load_summary.hpp"

namespace stepscope {

// --step-marker, --phase, and --section: which of the loops that a run has one after the other.
void add_reading_options(CLI::App& verb, ReadOptions& options);
// --rank, where a run of several ranks is read as one.
void add_rank_option(CLI::App& verb, ReadOptions& options);

}  // namespace stepscope
