// SPDX-License-Identifier: Apache-2.0
// Which call launched a device op, by correlation id.
//
// A runtime call and the driver call inside it may carry the same id: the outer one is the launch.
// Ids come again where collection was switched off and on: then the last call that began before the
// op, if the op keeps its stream's order, and across such a switch only if the call launches and
// has no op yet. In our own traces a call that begins long behind an op did not launch it; other
// tools' clocks may differ by more.
#pragma once

#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

// Returns the launching call by DeviceOpId; kNone: no call of that id, or none that can have
// launched it. Host ranges and calls are sorted already.
std::vector<CallId> link_launches(const TraceData& data);

}  // namespace stepscope
