// SPDX-License-Identifier: Apache-2.0
// Where a process's records are missing because parts of its file are damaged: a fact of the
// process that the reader of the file writes, "BEGIN END, BEGIN END, ..." in nanoseconds, in order.
#pragma once

#include <string>

#include "core/model/ids.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

class Trace;

inline constexpr const char* kLostStretches = "lost.stretches";

std::string text_of_stretches(const IntervalSet& stretches);
IntervalSet stretches_of_text(const std::string& text);  // what cannot be read ends the list

IntervalSet lost_stretches(const Trace& trace, ProcessId process);

}  // namespace stepscope
