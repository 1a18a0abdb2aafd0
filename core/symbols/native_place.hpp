// SPDX-License-Identifier: Apache-2.0
// A place in compiled code: a mapped file, and an address as the file's own symbol table counts.
//
// A recorded site holds them in the name of its function: "native:PATH+0xHEX;PATH+0xHEX", the
// innermost call first (collectors/native_frames/native_call_site.hpp).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

struct NativePlace {
  std::string file;
  std::uint64_t address = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison's own 0 for a pointer
  friend auto operator<=>(const NativePlace&, const NativePlace&) = default;
};

// Parses a site's function name; empty where it is a plain function. Malformed parts are skipped.
std::vector<NativePlace> native_places(std::string_view function);

}  // namespace stepscope
