// SPDX-License-Identifier: Apache-2.0
// One run as the viewer reads it: the trace, and what core concluded from it. The viewer computes
// no result of its own.
#pragma once

#include "core/attribution/attribution.hpp"
#include "core/model/trace.hpp"
#include "core/steps/steps.hpp"
#include "core/summary/summary.hpp"

namespace stepscope::viewer {

struct Run {
  Trace trace;
  Steps steps;
  Attribution attribution;
  Summary summary;
};

}  // namespace stepscope::viewer
