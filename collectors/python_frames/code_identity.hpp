// SPDX-License-Identifier: Apache-2.0
// A code object as a 64-bit hash: the keys of site_cache.
#pragma once

#include <cstdint>

#include "collectors/python_frames/frames.hpp"

namespace stepscope::python {

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15;
  return hash ^ hash >> 32;
}

// By address, names, line table and first line: enough to know whose code it is.
inline std::uint64_t light_identity(const Layout& at, Object code) noexcept {
  std::uint64_t hash =
      mix(reinterpret_cast<std::uintptr_t>(code), load<std::uint64_t>(code, at.code_file));
  hash = mix(hash, load<std::uint64_t>(code, at.code_name));
  hash = mix(hash, load<std::uint64_t>(code, at.code_lines));
  return mix(hash, load<std::uint32_t>(code, at.code_first_line));
}

// exec in a loop frees and allocates alike, so all addresses may come back with another content.
// Then the object's version tells, or samples of the line table (all of a short one).
std::uint64_t full_identity(const Layout& at, Object code, std::uint64_t light) noexcept;

}  // namespace stepscope::python
