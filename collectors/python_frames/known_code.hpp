// SPDX-License-Identifier: Apache-2.0
// The facts about a code object that are found out once and kept (site_cache.hpp): whose it is, the
// lines of its places, and its loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "collectors/python_frames/bytecode.hpp"
#include "collectors/python_frames/frames.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::python {

// Whose code a Python file is, from its path alone. The order is how foreign it is: the innermost
// frame of the smallest kind names the call site.

enum class SourceKind : std::uint8_t {
  user,     // anything else, also <stdin> and notebook cells
  unnamed,  // <string>: `python -c`, and what libraries (Triton's launchers) put together
  package,  // under site-packages or dist-packages
  torch,    // torch and its generated code (inductor, fx)
  library,  // the standard library, frozen modules
};

SourceKind source_kind(std::string_view path) noexcept;

// Returns the kind of the code's file, by its text object, which all code of the file shares: there
// are few, so they stay known.
SourceKind kind_of(const Layout& at, Object code) noexcept;

// The call site of a code unit; 0: the line table cannot be read.
recorder::SiteRef site_of(const Layout& at, Object code, std::size_t unit) noexcept;

struct KnownLoops {
  std::uint32_t first = 0;  // loops of one code object have numbers one after the other
  std::uint8_t count = 0;
  bool known = true;  // false: its instructions cannot be read, or there is no room for more loops
};
KnownLoops loops_of(const Layout& at, Object code) noexcept;
const CodeLoop& loop_of(std::uint32_t number) noexcept;

// Code objects and texts as 64-bit hashes: the keys of site_cache.

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

// Identity by address, names, line table and first line. exec in a loop frees and allocates alike,
// so all addresses may come back with another content: then the object's version differs (3.12 on),
// or samples of the line table do (all of a short one).
std::uint64_t code_identity(const Layout& at, Object code) noexcept;

// Identity of a text, by address, length and samples of its characters.
std::uint64_t text_identity(const Layout& at, Object text) noexcept;

}  // namespace stepscope::python
