// SPDX-License-Identifier: Apache-2.0
// Do the offsets fit the interpreter that runs? Two checks, before and after the first use.
#pragma once

#include "collectors/python_frames/interpreter.hpp"

namespace stepscope::python {

enum class Verdict { no_frames, fits, differs };

// Needs no GIL. Walks the calling thread's chain by loads that cannot fault (through a pipe, so the
// kernel checks each address): thread of the main interpreter, every frame's code a code object,
// its names str, its line table bytes of sane size, its instruction inside the code and on a line.
Verdict check_structure(const Interpreter& python, Object thread) noexcept;

// Needs the GIL. Compares code object and line of the current frame, and the lines of the callers,
// with what the public API says. May create the frame's Python object, as any traceback does.
Verdict compare_with_api(const Interpreter& python, Object thread) noexcept;

}  // namespace stepscope::python
