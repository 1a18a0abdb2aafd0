// SPDX-License-Identifier: Apache-2.0
// The command line of train_llm.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/text_program.hpp"

namespace stepscope::llm {

struct Request {
  Config config;
  TextWish text;                    // --text: make shards of it in config.write_data and stop
  bool lists_switches = false;      // --list-switches: print list_switches and stop
  std::optional<std::string> help;  // --help was given: print this and stop
};

// Arguments without the program's name. An Error is a usage error.
Result<Request> parse(std::span<const char* const> arguments);

}  // namespace stepscope::llm
