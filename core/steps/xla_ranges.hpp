// SPDX-License-Identifier: Apache-2.0
// The ranges that XLA (JAX, Keras on JAX, TensorFlow) puts around its own work, as NVTX ranges of
// the domain TSL: "XlaModule:#hlo_module=jit_train_step,program_id=5#" around a run of an
// executable; "XlaCompile:#...#", "XlaPass:#...#", "Thunk:#hlo_op=fusion.1#" and their like around
// parts of the compiler and of executables.
#pragma once

#include <string_view>

namespace stepscope {

// Any of them.
bool is_xla_range(std::string_view name);

// "hlo_module=jit_train_step,program_id=5": the executable of such a run; empty for other ranges.
std::string_view xla_executable(std::string_view name);

// "jit_train_step"
std::string_view xla_module(std::string_view executable);

}  // namespace stepscope
