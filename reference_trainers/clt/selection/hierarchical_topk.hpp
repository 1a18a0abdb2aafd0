// SPDX-License-Identifier: Apache-2.0
// What the reference implementation selects in place of BatchTopK where its features lie on several
// ranks, simulated in one process, so that its cost in quality can be measured. Kept for that
// alone: it is not BatchTopK.
//
// Every rank holds all preactivations by then (they were gathered), so every rank offers the same
//   local = min(4 * K / ranks, features of all layers),  K = k * rows,
// greatest entries (a count of the batch against the width of one token). Selected are the K
// greatest of these lists side by side, in which each entry stands once a rank. So the mask holds
// K / ranks different entries, rounded up, or `local` where that is fewer: a token has k / ranks
// active features, not k.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace stepscope::clt {

// Boolean, of the keys' shape [rows, features of all layers].
at::Tensor hierarchical_topk_mask(const at::Tensor& keys, std::int64_t k, std::int64_t ranks);

}  // namespace stepscope::clt
