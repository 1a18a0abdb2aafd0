// SPDX-License-Identifier: Apache-2.0
// The interpreter found in the process: functions and types by dlsym, nothing linked, and its
// layout.
#pragma once

#include "collectors/python_frames/frames.hpp"

namespace stepscope::python {

struct IteratorTypes {  // null: not there
  Object range, list, tuple, enumerate, zip;
};

struct Interpreter {
  Layout layout;
  // Safe without the GIL:
  Object (*this_thread)();  // PyGILState_GetThisThreadState: stays set while the GIL is released
  Object (
      *holder_of_gil)();  // the current thread state; equal to this_thread's where it holds the GIL
  int (*is_finalizing)();
  Object (*main_interpreter)();
  Object (*first_thread)(Object);  // PyInterpreterState_ThreadHead; null: not there
  Object code_type;
  Object text_type;
  Object bytes_type;
  Object list_type;       // null: not there
  Object generator_type;  // null: not there
  IteratorTypes iterators;
  // Public API for the comparison, under the GIL only:
  Object (*current_frame)();     // PyEval_GetFrame, borrowed
  Object (*frame_code)(Object);  // PyFrame_GetCode, a new reference
  int (*frame_line)(Object);
  int (*code_line)(Object, int);  // PyCode_Addr2Line
  void (*drop)(Object);
};

enum class Found { nothing, ready, unsupported };

// `why`: the sentence for `unsupported`.
Found find_interpreter(Interpreter& python, const char*& why) noexcept;

// Do the offsets fit the interpreter that runs? Two checks, before and after the first use.

enum class Verdict { no_frames, fits, differs };

// Needs no GIL. Walks the calling thread's chain by loads that cannot fault (through a pipe, so the
// kernel checks each address): thread of the main interpreter, every frame's code a code object,
// its names str, its line table bytes of sane size, its instruction inside the code and on a line.
Verdict check_structure(const Interpreter& python, Object thread) noexcept;

// Needs the GIL. Compares code object and line of the current frame, and the lines of the callers,
// with what the public API says. May create the frame's Python object, as any traceback does.
Verdict compare_with_api(const Interpreter& python, Object thread) noexcept;

}  // namespace stepscope::python
