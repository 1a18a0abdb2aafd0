// SPDX-License-Identifier: Apache-2.0
// The terminal's colour of a cause: one a family, so that a column of causes reads at a glance.
#pragma once

#include "core/attribution/cause.hpp"
#include "core/report/wording/verdict.hpp"
#include "reports/text/style.hpp"

namespace stepscope {

Colour colour_of(Cause cause);
Colour colour_of(Tone tone);
Colour colour_of_change(double difference);  // less is green
Colour colour_of_note(Tone tone);            // plain where it is neutral

}  // namespace stepscope
