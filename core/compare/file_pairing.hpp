// SPDX-License-Identifier: Apache-2.0
// The lines of one file on both sides, paired: line_matching.hpp says how. Internal to
// core/compare.
#pragma once

#include <cstdint>
#include <vector>

#include "core/compare/line_work.hpp"

namespace stepscope::compare_parts {

struct FilePairing {
  // By place in the side's lines: the number of the line in the other side's file; 0: it has none.
  // The other side's tables need not name that line.
  std::vector<std::uint32_t> of_a;
  std::vector<std::uint32_t> of_b;
};

FilePairing pair_lines(const FileWork& a, const FileWork& b);

}  // namespace stepscope::compare_parts
