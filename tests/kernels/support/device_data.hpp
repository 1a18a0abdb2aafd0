// SPDX-License-Identifier: Apache-2.0
// Matrices too large for the host: made and judged on the device.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/batch_topk.hpp"

namespace stepscope::kernels {

// Normally distributed keys, the same for the same seed.
void fill_normal(void* keys, KeyType type, std::int64_t entries, std::uint32_t seed,
                 CUstream_st* stream);

// Gives keys below zero to `of_four` in four of the sectors that batch_topk's sample reads: a
// sample that says too little of the greatest keys, or nothing.
void hide_from_sample(void* keys, KeyType type, std::int64_t entries, int of_four,
                      CUstream_st* stream);

struct MaskJudgement {
  unsigned long long selected = 0;  // bits set within the matrix
  unsigned long long unexpected =
      0;                           // bits that differ from what the result's threshold and cut say
  unsigned long long padding = 0;  // bits set outside
};

// Reads each entry and its bit, with the plainest code. That `selected` is the count and
// `unexpected` is 0 proves the selection: a set that is cut at one place of the order is the one of
// its size. Waits for the stream.
MaskJudgement judge_mask(const BatchTopkArguments& arguments, CUstream_st* stream);

}  // namespace stepscope::kernels
