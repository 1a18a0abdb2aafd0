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

// Backwards: what held a device op up (its predecessor on the critical path), what a gap came
// after, what encloses a host range. Forwards: what a call launched, what ended a gap, what shows a
// segment, the next op of a stream.
std::optional<EventRef> led_to_by(const Run& run, EventRef event);
std::optional<EventRef> leads_to(const Run& run, EventRef event);

// The events that an arrow leads to from this one: launch to ops, op to launch.
std::vector<EventRef> linked_to(const Run& run, EventRef event);

}  // namespace stepscope::viewer
