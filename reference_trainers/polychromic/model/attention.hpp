// SPDX-License-Identifier: Apache-2.0
// Computes attention in two ways that differ by rounding: written out, whose scores of all pairs go
// through memory, and in one kernel.
#pragma once

#include <ATen/core/Tensor.h>

namespace stepscope::polychromic {

// Says who looks at whom: all at all, each at those up to itself, or what a mask says that is added
// to the scores ([queries, keys], 0 or -infinity).
struct Sight {
  bool causal = false;
  at::Tensor mask;
};

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const Sight& sight, bool fused);

}  // namespace stepscope::polychromic
