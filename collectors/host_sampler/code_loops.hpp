// SPDX-License-Identifier: Apache-2.0
// The `for` loops of the code objects that the sampler has met, and which of them are around an
// instruction: they give iterators on a frame's stack their loop.
//
// Found once a code object, from its instructions and exception table as they lie in memory, and
// verified by the words that identify it (code_table.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "collectors/host_sampler/code_table.hpp"
#include "collectors/python_frames/bytecode.hpp"
#include "collectors/python_frames/handlers.hpp"

namespace stepscope::host_sampler {

struct ForLoops {
  static constexpr std::size_t kMost = 16;

  bool is_known = false;  // false: the instructions cannot be read, or are those of another CPython
  std::size_t count = 0;
  std::array<std::uint32_t, kMost> line{};  // one a loop around the instruction, outermost first
};

class CodeLoops {
 public:
  explicit CodeLoops(const python::Interpreter& python) noexcept : python_(python) {}

  ForLoops around(const Memory& memory, CodeTable& codes, const Code& code,
                  Address instruction) noexcept;

 private:
  static constexpr std::size_t kCodes = 128;
  static constexpr std::size_t kMostTable = 1 << 14;

  struct Entry {
    Address address = 0;
    CodeWords words;
    std::size_t count = 0;  // python::kUnknownLoops: not known
    std::array<python::CodeLoop, python::kMostCodeLoops> loops{};
    std::array<std::uint32_t, python::kMostCodeLoops> line{};
  };

  void describe(const Memory& memory, CodeTable& codes, const Code& code, Entry& entry) noexcept;
  // The unit where the exception handlers begin that stand behind all other code; 0: not read.
  std::size_t begin_of_handlers(const Memory& memory, const Code& code) noexcept;

  const python::Interpreter& python_;
  std::array<Entry, kCodes> entries_{};
  std::array<std::uint16_t, python::kMostUnits> units_{};
  std::array<unsigned char, kMostTable> table_{};
  std::array<python::Handler, python::kMostHandlers> handlers_{};
};

}  // namespace stepscope::host_sampler
