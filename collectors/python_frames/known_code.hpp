// SPDX-License-Identifier: Apache-2.0
// The facts about a code object that are found out once and kept (site_cache.hpp): whose it is, the
// lines of its places, its loops and its exception handlers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "collectors/python_frames/bytecode.hpp"
#include "collectors/python_frames/frames.hpp"
#include "collectors/python_frames/handlers.hpp"
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

// Counts the files of these installed packages ("transformers,accelerate") as the user's. It is
// called before any other function here; the text is kept, not copied. Null: none.
void count_as_users(const char* packages) noexcept;

// Returns the kind of the code's file, by its text object, which all code of the file shares: there
// are few, so they stay known.
SourceKind kind_of(const Layout& at, Object code) noexcept;

// The call site of a code unit; 0: the line table cannot be read.
recorder::SiteRef site_of(const Layout& at, Object code, std::size_t unit) noexcept;

// The parts of a code object that say where a frame stands in its loops.
struct CodeShape {
  std::span<const CodeLoop> loops;    // outer ones before those inside
  std::span<const Handler> handlers;  // in the order of their places
};
// Returns null where the instructions cannot be read, or there is no room for more loops.
const CodeShape* shape_of(const Layout& at, Object code) noexcept;

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
