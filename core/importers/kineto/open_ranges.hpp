// SPDX-License-Identifier: Apache-2.0
// Ranges whose length is that of a counter which overflowed: nothing else of the trace reaches as
// far. Where such a range ended is not known.
#pragma once

#include <cstdint>

#include "core/model/trace.hpp"

namespace stepscope::kineto {

// Takes their length; returns how many there were.
std::uint64_t close_open_ranges(TraceData& data);

}  // namespace stepscope::kineto
