// SPDX-License-Identifier: Apache-2.0
// Which work of A is which of B, in passes from the surest to the loosest; each pass sees what is
// left over.
//
//   1  phase, line, cause, operation      the same work
//   2  phase, line, cause, kernel family  another tile or architecture
//   3  phase, line, cause                 other kernels for the same end: n to m
//   4  phase, cause, operation            the line is not known on one side, or is another
//   5  phase, cause, kernel family
//   6  phase, cause, where either side has one line left: its kernels moved to the other's line
//   7  phase, line, family of causes      replaced by work of another class
// Passes 6 and 7 pair different operations, at different lines or of different classes, so they
// pair only work of comparable time. What is left is of one side alone. Idle causes are matched by
// pass 3 only: what the host did while the device waited is one row a line, not one for each
// function it went through, and never stands at a line that did not wait.
//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/line_matching.hpp"
#include "core/compare/work_item.hpp"

namespace stepscope::compare_parts {

struct WorkGroup {
  std::vector<std::size_t> a;  // places in the side's items
  std::vector<std::size_t> b;
  bool replaced = false;  // pass 7: causes differ
};

// Every item of either side is in exactly one group.
std::vector<WorkGroup> match_work(const std::vector<WorkItem>& a, const std::vector<WorkItem>& b,
                                  const LineMatching& lines);

// What stays of a kernel's name when a library picks another tile or architecture for the same
// work.
//
// Cut off: the return type, template arguments, parameters and namespaces; each run of digits
// becomes '#', so that "sm80_xmma_gemm_f32f32_tn_n_tilesize128x64x8" and its 128x128x8 brother are
// one family. Names that are no C++ signature go through the same cuts.

std::string kernel_family(std::string_view name);

}  // namespace stepscope::compare_parts
