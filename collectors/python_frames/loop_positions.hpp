// SPDX-License-Identifier: Apache-2.0
// Where the calling thread stands in the program's loops: for each frame of the program's own code
// on its stack (not the standard library's or torch's) the loops that hold its instruction, and how
// many iterations each has begun. Told to the recorder where something changed, with each record
// that asks for its line.
//
// These events count an iteration:
//   for    the iterator's own count, where it keeps one (iterator_count.hpp)
//   while, and other iterators: a return to an earlier instruction of the same call of the function,
//          or the same line calling anew. An iteration without a record is not seen.
// While the thread is inside FOR_ITER, it asks for an iteration that may never come (`at_head`).
//
// A new call of a function is distinguished from an iteration by the frames that were on the stack
// at the last look. Going from the outermost one inwards, the first that differs shows what
// happened (frame_change.hpp).
//
// The thread's own frames cannot change meanwhile, and a loop that holds a frame's instruction has
// its iterator on the frame's stack. Nothing is executed, allocated or locked.
#pragma once

#include "collectors/python_frames/interpreter.hpp"

namespace stepscope::python {

// Whether loops can be read in this interpreter: CPython 3.11 to 3.13.
bool can_read_loops(const Interpreter& python) noexcept;

// `leaf`: the innermost frame; `own`: the innermost one of the program's own code, and its code.
void note_loop_positions(const Interpreter& python, Object leaf, Object own,
                         Object own_code) noexcept;

// The calling thread's next look begins anew: in a forked child, whose file knows nothing yet.
void forget_loop_positions() noexcept;

}  // namespace stepscope::python
