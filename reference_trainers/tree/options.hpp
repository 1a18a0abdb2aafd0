// SPDX-License-Identifier: Apache-2.0
// The command line of train_tree.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/tree/config.hpp"

namespace stepscope::tree {

struct Request {
  Config config;
  bool describe = false;            // --describe: print describe_json and stop
  std::optional<std::string> help;  // --help was given: print this and stop
};

// Arguments without the program's name. An Error is a usage error.
Result<Request> parse(std::span<const char* const> arguments);

}  // namespace stepscope::tree
