// SPDX-License-Identifier: Apache-2.0
// What every trace is mended by once it is read, whatever its format.
#pragma once

#include <vector>

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

// A note says how many there were, or that a stream has no order.
void mend_stream_order(TraceData& data);

// By row, the ops whose end mend_stream_order would move, and those of streams without an order.
std::vector<bool> overrunning_ops(const TraceData& data);

// Records of other tools that cannot be, each with a note that says how many there were:
//
//   doubles      a record of the device that stands there again is removed
//   no length    a kernel or copy without a length, which is more than rounding makes (others like it
//                take over 2 us, or the clock is finer), is given the time of others like it; all such
//                are removed where they are over a fifth, and those of which no other has a length
//   numbers      an op under the number of a call that has its op is tied to none
//   places       single records where they cannot have run (device_places.hpp)
//   far          records far from all of the host's that no call is known for are removed
//   clock        the device's clock against the host's (device_clock.hpp)
//   unit         launches that take a thousand times as long as they do, or launches or kernels that
//                take a thousandth

// Puts the rows into the order of trace.hpp.
void mend_foreign_records(TraceData& data);

// Processes of which samples are all there is: programs in Python that call nothing that is hooked
// (NumPy, scikit-learn, JAX on a CPU). What divides a run into steps and owners works on ranges, so
// such a process gets one: its main thread's program, from the first sample to its last clock.

// Adds the range of each such process, and one note that says what is missing.
void add_sampled_programs(TraceData& data);

}  // namespace stepscope
