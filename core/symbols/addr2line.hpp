// SPDX-License-Identifier: Apache-2.0
// Asks addr2line (binutils; the variable STEPSCOPE_ADDR2LINE names another, such as
// llvm-addr2line) where places of a file come from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope {

struct SourceFrame {
  std::string function;    // empty: not known
  std::string file;        // empty: not known
  std::uint32_t line = 0;  // 0: not known
  friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

// By address; the functions that the compiler has inlined there, innermost first.
using SourceFrames = std::map<std::uint64_t, std::vector<SourceFrame>>;

// Parses what addr2line printed for the options -a -f -i -C.
SourceFrames parse_addr2line(std::string_view printed);

// Errors: unsupported (there is no addr2line), io (it failed; with its own words).
Result<SourceFrames> ask_addr2line(const std::string& file,
                                   const std::vector<std::uint64_t>& addresses);

}  // namespace stepscope
