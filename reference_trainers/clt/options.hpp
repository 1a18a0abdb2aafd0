// SPDX-License-Identifier: Apache-2.0
// The command line of train_clt.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/clt/config.hpp"

namespace stepscope::clt {

struct Request {
  Config config;
  std::optional<std::string> print;  // --help or --list-switches: print this and stop
};

// Arguments without the program's name. An Error is a usage error.
Result<Request> parse(std::span<const char* const> arguments);

}  // namespace stepscope::clt
