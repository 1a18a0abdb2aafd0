// SPDX-License-Identifier: Apache-2.0
// Which source file of A is which of B: the one of the same path; else the one that has the most in
// common with it, where that holds the other way round, too, and for no third file as much. What
// files have in common is their text, where both runs kept it, else the operations of their
// functions; and the ends of their paths, as of two checkouts of a repository. So a script and its
// copy under another name are one file. Internal to core/compare.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/compare/line_work.hpp"

namespace stepscope::compare_parts {

// The path in B, by the path in A; files without a counterpart are left out.
std::map<std::string, std::string> match_files(const FileWorks& a, const FileWorks& b);

// The lines of one file on both sides, paired: line_matching.hpp says how.
struct FilePairing {
  // By place in the side's lines: the number of the line in the other side's file; 0: it has none.
  // The other side's tables need not name that line.
  std::vector<std::uint32_t> of_a;
  std::vector<std::uint32_t> of_b;
};

FilePairing pair_lines(const FileWork& a, const FileWork& b);

}  // namespace stepscope::compare_parts
