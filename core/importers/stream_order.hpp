// SPDX-License-Identifier: Apache-2.0
// Device records whose end cannot be: an op of a stream begins when those before it are done. CUPTI
// 13.0 has records of small copies in JAX's programs, and AMD's tracer has records of kernels, that
// end up to seconds behind what follows them on their stream.
//
// The last kernel of a stream has nothing behind it: its end is wrong where it outlasts the host's
// last record and lasts ten times as long as any other of its name.
//
// Such a record's end is not known. A copy's is put where a copy of the same kind and the nearest
// size ends, of those that keep the order, and a kernel's where the median one of its name does; at
// the latest where the next op of the stream begins. A kernel may begin before the one before it
// has ended (programmatic dependent launch), so a kernel's end is wrong where it lies behind the
// *end* of a later kernel. Ops of one launch (a graph's) may run beside each other. A stream of
// which this is said of every fifth kernel is none in which one follows the other.
#pragma once

#include "core/model/trace.hpp"

namespace stepscope {

// A note says how many there were.
void mend_stream_order(TraceData& data);

}  // namespace stepscope
