// SPDX-License-Identifier: Apache-2.0
// Options that every trainer has, and how a command line is read: one message for a mistake, which
// names the option and the program's --help.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/common/device.hpp"

namespace stepscope::trainers {

// CLI11's own ranges let NaN through, and print their bounds in full.
CLI::Validator above_zero();
CLI::Validator not_negative();

// --device and --threads.
void add_device_options(CLI::App& app, DeviceWish& device, int& threads);
void add_rank_timeout(CLI::App& app, int& seconds);

// The text of --help where that was asked for.
Result<std::optional<std::string>> parse_words(CLI::App& app,
                                               std::span<const char* const> arguments);

}  // namespace stepscope::trainers
