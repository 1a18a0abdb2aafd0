// SPDX-License-Identifier: Apache-2.0
// The loops of a code object, from its instructions as they lie in memory (specialised ones
// included).
//
// An instruction is one code unit (opcode, argument), behind prefixes that widen the argument, and
// in front of inline caches whose length follows from the opcode. A loop is what a jump back spans:
//   for    from its FOR_ITER to where that goes when the iterator is done
//   while  from the target of the jump back to the jump; its condition is tested there
// Jumps back that wait for a coroutine (JUMP_BACKWARD_NO_INTERRUPT) are none of the program's loops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stepscope::python {

// Instructions of a `for` from which the loop cannot come round any more: what a `return` or `break`
// still does, but for what only raises an exception on. Its iterator may be gone from the stack there.
// Units from the loop's begin on.
struct Exit {
  std::uint16_t begin = 0, end = 0;
};
inline constexpr std::size_t kMostExits = 8;

struct CodeLoop {
  std::uint32_t begin = 0, end = 0;  // units, the end excluded
  bool has_iterator = false;         // a `for`
  std::uint32_t body = 0;            // the first unit behind FOR_ITER; `begin` of a `while`

  std::array<Exit, kMostExits> exits{};  // those in use come first

  // A unit at the line of its `for` or `while`. The body of a `while` begins at another line, and its
  // last jump back is at the `while`.
  std::uint32_t of_its_line() const noexcept { return has_iterator ? begin : end - 1; }

  bool holds(std::size_t unit) const noexcept {
    if (unit < begin || unit >= end) return false;
    for (const Exit& exit : exits) {
      if (exit.end == 0) break;
      if (unit - begin >= exit.begin && unit - begin < exit.end) return false;
    }
    return true;
  }
};

// Whether the instructions of that CPython are known: 3.11 to 3.13.
bool knows_bytecode(unsigned minor) noexcept;

inline constexpr std::size_t kMostCodeLoops = 32;
inline constexpr std::size_t kMostUnits = 1U << 14U;
inline constexpr std::size_t kUnknownLoops = ~std::size_t{0};

// Writes the loops, outer ones before those inside, and returns how many there are.
// `units` ends where the exception handlers begin that stand behind all other code (handlers.hpp).
// kUnknownLoops: an instruction that is not known (a debugger's, a compiled loop's), or too much of
// anything.
std::size_t find_code_loops(unsigned minor, std::span<const std::uint16_t> units,
                            std::span<CodeLoop, kMostCodeLoops> out) noexcept;

}  // namespace stepscope::python
