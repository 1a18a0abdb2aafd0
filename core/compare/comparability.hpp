// SPDX-License-Identifier: Apache-2.0
// Whether two runs did the same work on the same kind of machine, so that the difference of their
// times says something about the change between them. Reasons against it, and what a reader must
// know besides.
//
// Against: a side without steps; another model of device, or a device on one side only; another
// number of ranks; another program (same_program.hpp); options of the command that name a size
// (batch, layers, width, precision, ...) with other values. To be known: another driver or
// library, slower clocks, one step only, steps found in another way, host times stretched by the
// tracer, broken sums, dropped records, CUDA graphs that are one operation on one side only.
// Internal to core/compare.
#pragma once

#include "core/compare/comparison.hpp"

namespace stepscope::compare_parts {

void judge_comparability(const Summary& a, const Summary& b, const CompareOptions& options,
                         Comparison& out);

}  // namespace stepscope::compare_parts
