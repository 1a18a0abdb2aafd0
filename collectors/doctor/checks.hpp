// SPDX-License-Identifier: Apache-2.0
// What can be collected with these facts, and what to do about what cannot: one line each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectors/doctor/facts.hpp"

namespace stepscope::doctor {

enum class State : std::uint8_t {
  good,
  limited,  // collected with a loss that the line names
  missing,  // not collected
  absent,   // not there, and nothing is lost by it (no GPU)
};

struct Check {
  std::string name;
  State state = State::good;
  std::string finding;
  std::string remedy;  // empty where nothing is to be done
};

// One line of the answer. What it needs to know is asked just before, so that a slow or dying answer
// costs this line and none above it.
struct Topic {
  void (*ask)(Facts& facts);
  std::optional<Check> (*judge)(const Facts& facts);  // pure; nothing: it says nothing here
};

const std::vector<Topic>& topics();

}  // namespace stepscope::doctor
