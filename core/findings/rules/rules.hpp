// SPDX-License-Identifier: Apache-2.0
// The rules, which rules.def lists. The head of a rule's source file states its condition
// and its price as formulas.
#pragma once

#include <string>
#include <string_view>

#include "core/findings/advice/advice.hpp"
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

// optimizer_operations.cpp: unfused_optimizer of a run without a device.
Judgement judge_optimizer_operations(const JudgedRun& run);

// unfused_optimizer.cpp: the class of the optimizer whose steps take longest, as PyTorch marks them
// ("Optimizer.step#AdamW.step"; empty where no mark names one), what to do about it, and whether a kernel
// or an operation is a fused optimizer's.
std::string optimizer_name(const JudgedRun& run);
void advise_on_optimizer(const JudgedRun& run, OptimizerRuns how, Finding& out);
bool is_fused_optimizer(std::string_view operation);
// An optimizer passes over its parameters often where its kernels or operations have so many names.
inline constexpr std::size_t kManyPasses = 4;
inline constexpr double kFusedTraffic = 1.0 / 3;  // share of what unfused passes move

// precision.cpp: decides by the kernel's name alone.
bool is_float32_matrix_kernel(std::string_view name);

}  // namespace stepscope::rules
