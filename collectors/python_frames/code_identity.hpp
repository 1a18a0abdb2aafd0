// SPDX-License-Identifier: Apache-2.0
// Code objects and texts as 64-bit hashes: the keys of site_cache.
#pragma once

#include <cstdint>

#include "collectors/python_frames/frames.hpp"

namespace stepscope::python {

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
