// SPDX-License-Identifier: Apache-2.0
// What the events are by which a finding can be seen in its trace.
#pragma once

#include "core/model/trace.hpp"
#include "core/steps/steps.hpp"
#include "core/summary/finding.hpp"

namespace stepscope {

// Fills in Finding::events. An id that the trace does not hold has none.
void name_evidence(const Trace& trace, const Steps& steps, Findings& findings);

}  // namespace stepscope
