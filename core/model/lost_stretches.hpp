// SPDX-License-Identifier: Apache-2.0
// Where a process's records are missing: a fact of the process, "BEGIN END, BEGIN END, ..." in
// nanoseconds, in order. The recorder writes it where the disk was full, and the reader of the file
// adds where parts of it are damaged.
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
