// SPDX-License-Identifier: Apache-2.0
// The facts about a code object that are found out once and kept (site_cache.hpp): whose it is, the
// lines of its places, and its loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collectors/python_frames/bytecode.hpp"
#include "collectors/python_frames/frames.hpp"
#include "collectors/python_frames/source_kind.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::python {

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

}  // namespace stepscope::python
