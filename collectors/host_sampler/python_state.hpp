// SPDX-License-Identifier: Apache-2.0
// What of the interpreter's state the sampler reads besides frames: the thread state of a thread
// id, and whether the garbage collector is at work.
//
// The offsets prove themselves in the running interpreter: a thread state counts where it holds the
// very thread id that we look for and points to the main interpreter; the collector's flag counts
// where what lies around it is what CPython keeps there (a pointer of a structure to its own first
// member before it, two lists behind it, its own value 0 or 1).
#pragma once

#include <sys/types.h>

#include <array>
#include <span>

#include "collectors/host_sampler/memory.hpp"
#include "collectors/python_frames/interpreter.hpp"

namespace stepscope::host_sampler {

class PythonState {
 public:
  explicit PythonState(const Memory& memory) noexcept : memory_(memory) {}

  // False: no interpreter whose layout was checked, none yet, or one that is ending. Cheap.
  bool is_ready() noexcept;
  const python::Interpreter& interpreter() const noexcept { return *python_; }

  // The state of that thread; 0: it has none. `last`: what the answer was before, tried first.
  Address thread_of(pid_t tid, Address last) const noexcept;
  // Returns the thread state of another process, forked from this one: its main thread was one of
  // ours.
  Address thread_in_fork(const Memory& fork, pid_t pid) const noexcept;

  bool knows_collector() const noexcept { return collecting_ != 0; }
  bool is_collecting() const noexcept;

 private:
  bool is_thread(const Memory& memory, Address state, pid_t tid) const noexcept;
  Address main_interpreter() const noexcept;

  const Memory& memory_;
  const python::Interpreter* python_ = nullptr;
  Address collecting_ = 0;
};

// The address of the collector's flag inside the interpreter state; 0: not found.
Address find_collecting(const Memory& memory, const python::Interpreter& python,
                        Address interpreter) noexcept;

}  // namespace stepscope::host_sampler
