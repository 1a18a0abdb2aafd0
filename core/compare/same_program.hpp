// SPDX-License-Identifier: Apache-2.0
// Whether two runs are of one program, perhaps moved, copied under another name, or mended.
//
// One that is not renamed runs the file that holds most of the other's time. A copy has a like name
// (train.py, train_fused.py), or its own phases, or mostly the same work: operations in functions
// of the same name, in half of both sides' time, or in nearly all of one side's, as of a mended
// copy. PyTorch's own phases (data, forward, ...) say nothing, since each training program has
// them. A side without lines is not judged. Internal to core/compare.
#pragma once

#include <cstdint>
#include <string>

#include "core/summary/summary.hpp"

namespace stepscope::compare_parts {

enum class SameBy : std::uint8_t { file, name, phases, work, nothing };

struct ProgramMatch {
  SameBy by = SameBy::file;  // also where a side has no lines
  std::string a_file;        // that holds most of A's time at lines, without its folder
  std::string b_file;
};

ProgramMatch match_programs(const Summary& a, const Summary& b);

}  // namespace stepscope::compare_parts
