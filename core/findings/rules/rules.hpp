// SPDX-License-Identifier: Apache-2.0
// The rules, which rules.def lists. The head of a rule's source file states its condition
// and its price as formulas.
#pragma once

#include <string_view>

#include "core/findings/judgement.hpp"
#include "core/findings/price.hpp"

namespace stepscope::rules {

struct OperationCount;
struct RepeatedPass;

#define RULE(id, ...) Judgement judge_##id(const JudgedRun& run);
#include "core/findings/rules/rules.def"
#undef RULE

// launch_overhead.cpp: launch_bound of a run without a device.
Judgement judge_launch_overhead(const JudgedRun& run);

// values_read.cpp: its part at lines that hardly do more than to read values.
Judgement judge_values_read(const JudgedRun& run, const OperationCount& operations);

// one_pass.cpp: its part at a pass that a step repeats; empty where that is little.
Judgement judge_one_pass(const JudgedRun& run, const RepeatedPass& pass);

// precision.cpp: decides by the kernel's name alone.
bool is_float32_matrix_kernel(std::string_view name);

}  // namespace stepscope::rules
