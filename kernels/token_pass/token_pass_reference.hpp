// SPDX-License-Identifier: Apache-2.0
// Computes the same in plain C++ and double precision, from bfloat16 in the host's memory. Results
// are not rounded; normalised inputs are rounded as the kernel rounds them.
#pragma once

#include <vector>

#include "kernels/token_pass/token_pass.hpp"

namespace stepscope::kernels {

std::vector<double> token_linear_reference(const TokenLinear& arguments);

// `keys` and `values` hold the token already.
std::vector<double> token_attention_reference(const TokenAttention& arguments);

}  // namespace stepscope::kernels
