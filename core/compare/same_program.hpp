// SPDX-License-Identifier: Apache-2.0
// Whether two runs are of one program, perhaps moved, copied under another name, or repaired.
//
// Runs that kept the text of their main files, most of which is the same, are of one program. Else,
// one that is not renamed runs the file that holds most of the other's time. A copy has a like name
// (train.py, train_fused.py), or its own phases, or mostly the same work: operations in functions
// of the same name, in half of both sides' time, or in nearly all of one side's, as of a repaired
// copy. PyTorch's own phases (data, forward, ...) say nothing, since each training program has
// them.
//
// A file's name alone says little ("train.py"): where next to none of the time is in functions that
// both have, the report says so. A side without lines (programs in C++, exports of Nsight Systems) is
// known by the program that its command names, its phases, and its work: kernels by family, or the
// operations of a run without a device. So is one whose few lines are in no file of the other's.
//
#pragma once

#include <cstdint>
#include <string>

#include "core/compare/comparison.hpp"
#include "core/summary/summary.hpp"

namespace stepscope::compare_parts {

enum class SameBy : std::uint8_t {
  file,       // or the same program's name
  file_name,  // a file's name alone, and hardly a function
  name,
  phases,
  work,
  nothing,
  other_work,  // there are no names, and the work is another
  unknown      // other commands, and no work that decides it
};

struct ProgramMatch {
  SameBy by = SameBy::file;
  bool by_command = false;  // the names are those of commands, not of files
  std::string a_name;       // name, without folder, of the file with most of A's time at lines
  std::string b_name;
};

ProgramMatch match_programs(const Summary& a, const Summary& b);

// Whether two runs did the same work on the same kind of machine, so that the difference of their
// times says something about the change between them. Reasons against it, and what a reader must
// know besides.
//
// Against: a side without steps; another model of device, or a device on one side only; another
// number of ranks; another program (same_program.hpp); options of the command that name a size
// (batch, layers, width, precision, ...) with other values. To be known: another driver or
// library, slower clocks, one step only, steps found in another way, host times stretched by the
// tracer, broken sums, dropped records, CUDA graphs that are one operation on one side only.
//

void judge_comparability(const Summary& a, const Summary& b, const CompareOptions& options,
                         Comparison& out);

}  // namespace stepscope::compare_parts
