// SPDX-License-Identifier: Apache-2.0
// What every trace is mended by once it is read, whatever its format.
#pragma once

#include "core/model/trace.hpp"

namespace stepscope {

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

// A note says how many there were.
void mend_stream_order(TraceData& data);

// Processes of which samples are all there is: programs in Python that call nothing that is hooked
// (NumPy, scikit-learn, JAX on a CPU). What divides a run into steps and owners works on ranges, so
// such a process gets one: its main thread's program, from the first sample to its last clock.

// Adds the range of each such process, and one note that says what is missing.
void add_sampled_programs(TraceData& data);

}  // namespace stepscope
