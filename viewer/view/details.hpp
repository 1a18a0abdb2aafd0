// SPDX-License-Identifier: Apache-2.0
// What there is to say of one event, as rows of a panel; a row may lead to another event.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viewer/view/event.hpp"

namespace stepscope::viewer {

struct Detail {
  std::string what;
  std::string value;
  std::optional<EventRef> to;
};

std::vector<Detail> details_of(const Run& run, EventRef event);

// The events that an arrow leads to from this one: launch to ops, op to launch.
std::vector<EventRef> linked_to(const Run& run, EventRef event);

}  // namespace stepscope::viewer
