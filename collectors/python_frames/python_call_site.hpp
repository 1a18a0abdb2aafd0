// SPDX-License-Identifier: Apache-2.0
// The Python line that the calling thread is at: file, line and function of its innermost user
// frame.
//
// Read from the thread's own frame chain by offsets, without the GIL, without ever blocking, and
// without running Python: the chain cannot change while its thread is inside our callback. A user
// frame is one outside the standard library, torch and site-packages; where a thread has none, the
// innermost frame of the least foreign kind stands in (a package's, else torch's, else the
// library's).
//
// CPython 3.9 to 3.14 with the GIL, main interpreter only. Anything else, and any
// disagreement between the offsets and the running interpreter, switches it off with a note.
#pragma once

#include <cstdint>

#include "collectors/recorder/recorder.hpp"

namespace stepscope {

// Looks for an interpreter in the process (dlsym: may wait for a dlopen in progress). Call it when
// libpython may have been mapped: at start, and after a dlopen that mapped libtorch. Idempotent,
// thread-safe. python_call_site calls it once itself.
void init_python_call_sites() noexcept;

namespace python {
struct Interpreter;
// The interpreter, once its frames were checked against the known layout; null before, and where
// call sites are off.
const Interpreter* checked_interpreter() noexcept;
}  // namespace python

// Looks for the interpreter and compares it, as far as the calling thread allows, and records
// nothing: the thread gets no ring by it.
void check_python() noexcept;

// The call site, or 0: no Python here, or none known. Counts recorder::count_site_lookup for
// threads with a Python frame; others (autograd workers) have no line to find and are not counted.
recorder::SiteRef python_call_site() noexcept;

// The calling thread's innermost Python frame, as a number: equal numbers mean that no Python was
// entered or left in between. 0: none, or none known.
std::uintptr_t python_frame() noexcept;

}  // namespace stepscope
