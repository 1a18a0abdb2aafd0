// SPDX-License-Identifier: Apache-2.0
// precision: matrix products in full float32, which tensor cores could do.
//
//   fires where   time(float32 matrix kernels) >= 5 % of the device's compute time, on a device
//                 with TF32 (compute capability 8.0 and later, where it is known), and
//                 ceiling >= least
//   which         kernels named sgemm or f32f32_f32f32 that name no tensor core (tf32, tensorop,
//                 s1688, ...): cuBLAS's and CUTLASS's names
//   ceiling       what TF32 saves of it (an assumption): it takes 0.18 of the time on data centre
//                 devices (compute capability 8.0, 9.0, 10.0), 0.6 on others, 0.25 where the device
//                 is not known
//   forecast      TF32; its interval also holds bf16: other float32 kernels move half the bytes
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_precision(JudgedRun& run, Findings& out);

// By the kernel's name alone.
bool is_float32_matrix_kernel(std::string_view name);

}  // namespace stepscope::rules
