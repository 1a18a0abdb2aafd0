// SPDX-License-Identifier: Apache-2.0
// The exception handlers of a code object, from its exception table (co_exceptiontable), as CPython's
// InternalDocs/exception_handling describes it. From 3.12 on all of them stand behind the other code,
// so that their place does not show which loop they are in. The code that they guard shows it.
//
// The table is a sequence of entries, ordered by the first number:
//   begin, size   the guarded code units
//   target        the unit where the handler begins
//   depth         of the stack, and whether the instruction is pushed
// Each number is a varint: 6 bits a byte, high first; bit 6 says that more follow. Bit 7 marks the
// first byte of an entry.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stepscope::python {

// Handlers of one `try` that stand side by side are one. All numbers are code units, ends excluded.
struct Handler {
  std::uint16_t begin = 0, end = 0;
  // The guarded instructions in front of all handlers. A handler of a handler guards the same ones.
  std::uint16_t guards_begin = 0, guards_end = 0;

  bool holds(std::size_t unit) const noexcept { return unit >= begin && unit < end; }
};

inline constexpr std::size_t kMostHandlers = 64;

struct Handlers {
  std::size_t count = 0;
  std::size_t begin = 0;  // the first unit of all handlers; `units` where there are none
};

// Writes the handlers of a code object of `units` code units in the order of their places. Handlers
// beyond kMostHandlers, and those behind a malformed entry, are left out.
Handlers find_handlers(std::span<const unsigned char> table, std::size_t units,
                       std::span<Handler, kMostHandlers> out) noexcept;

}  // namespace stepscope::python
