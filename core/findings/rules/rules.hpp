// SPDX-License-Identifier: Apache-2.0
// The rules, in the order of all_findings.cpp. The head of a rule's source file states its condition
// and its price as formulas.
#pragma once

#include <string_view>

#include "core/findings/judgement.hpp"
#include "core/findings/price.hpp"

namespace stepscope::rules {

Judgement judge_core_contention(const JudgedRun& run);
Judgement judge_input_starvation(const JudgedRun& run);
Judgement judge_tiny_h2d(const JudgedRun& run);
Judgement judge_host_sync(const JudgedRun& run);
Judgement judge_pageable_copy(const JudgedRun& run);
Judgement judge_unfused_optimizer(const JudgedRun& run);
Judgement judge_steady_alloc(const JudgedRun& run);
Judgement judge_steady_compile(const JudgedRun& run);
Judgement judge_host_gap(const JudgedRun& run);
Judgement judge_loop_invariant(const JudgedRun& run);
Judgement judge_launch_bound(const JudgedRun& run);
Judgement judge_sequential_generation(const JudgedRun& run);
Judgement judge_unfused_attention(const JudgedRun& run);
Judgement judge_precision(const JudgedRun& run);
Judgement judge_hotspot(const JudgedRun& run);
Judgement judge_exposed_comm(const JudgedRun& run);
Judgement judge_exposed_copy(const JudgedRun& run);
Judgement judge_periodic_phase(const JudgedRun& run);
Judgement judge_underfilled_gpu(const JudgedRun& run);
Judgement judge_clock_change(const JudgedRun& run);

// precision.cpp: decides by the kernel's name alone.
bool is_float32_matrix_kernel(std::string_view name);

}  // namespace stepscope::rules
