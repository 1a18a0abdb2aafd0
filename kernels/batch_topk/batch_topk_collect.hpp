// SPDX-License-Identifier: Apache-2.0
// The first half of a batch_topk that is warm: one read of the matrix with a given bracket of keys,
// for callers that find the cut among the candidates themselves, with other shards of a matrix.
//
//   mask          bits of the keys above the bracket; to be completed, or thrown away
//   workspace     how many those are, and the entries within, as candidates (collected.cuh). Where
//                 these are more than the capacity, neither how many are above nor the mask counts.
#pragma once

#include "kernels/batch_topk/batch_topk.hpp"

namespace stepscope::kernels {

// The bracket is *warm_start, of the keys that the policies let be selected; it is left as it is,
// as is the result, which may be null. `start` and `device_count` are of no matter, nor is `count`
// from 1 on. Empty matrices and count < 1 give an empty mask, and no candidates.
Status batch_topk_collect(const BatchTopkArguments& arguments, CUstream_st* stream);

}  // namespace stepscope::kernels
