// SPDX-License-Identifier: Apache-2.0
// Copies and sets whose end cannot be: an op of a stream begins when those before it are done, but
// CUPTI 13.0 has records of small copies in JAX's programs that end up to seconds behind the begin
// of the next op of their stream.
//
// Such a record's end is not known. It is put where a copy of the same kind and the nearest size
// ends, of those that keep the order, and at the latest where the next op of the stream begins.
// Kernels may overlap (programmatic dependent launch), and so may the nodes of one graph.
#pragma once

#include "core/model/trace.hpp"

namespace stepscope {

// A note says how many there were.
void mend_stream_order(TraceData& data);

}  // namespace stepscope
