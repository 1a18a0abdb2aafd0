// SPDX-License-Identifier: Apache-2.0
// The rules, in the order of all_findings.cpp. The head of a rule's source file states its condition
// and its price as formulas.
#pragma once

#include <string_view>

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_core_contention(JudgedRun& run, Findings& out);
void judge_input_starvation(JudgedRun& run, Findings& out);
void judge_tiny_h2d(JudgedRun& run, Findings& out);
void judge_host_sync(JudgedRun& run, Findings& out);
void judge_pageable_copy(JudgedRun& run, Findings& out);
void judge_unfused_optimizer(JudgedRun& run, Findings& out);
void judge_steady_alloc(JudgedRun& run, Findings& out);
void judge_steady_compile(JudgedRun& run, Findings& out);
void judge_host_gap(JudgedRun& run, Findings& out);
void judge_loop_invariant(JudgedRun& run, Findings& out);
void judge_launch_bound(JudgedRun& run, Findings& out);
void judge_sequential_generation(JudgedRun& run, Findings& out);
void judge_unfused_attention(JudgedRun& run, Findings& out);
void judge_precision(JudgedRun& run, Findings& out);
void judge_hotspot(JudgedRun& run, Findings& out);
void judge_exposed_comm(JudgedRun& run, Findings& out);
void judge_exposed_copy(JudgedRun& run, Findings& out);
void judge_periodic_phase(JudgedRun& run, Findings& out);
void judge_underfilled_gpu(JudgedRun& run, Findings& out);
void judge_clock_change(JudgedRun& run, Findings& out);

// precision.cpp: decides by the kernel's name alone.
bool is_float32_matrix_kernel(std::string_view name);

}  // namespace stepscope::rules
