// SPDX-License-Identifier: Apache-2.0
// Says how far the vectors of a set point apart: the cosine distance 1 - cos of all pairs, for many
// sets in one launch. README.md says how it takes one pass over a set in place of N x N pairs.
//
// A set has `count` vectors of `width` numbers, and its `lengths` entry says how many of them are
// used, from the first on. `distances` gets, for each used vector, its mean distance to the others
// of its set, in 0 to 2. `scores` gets, for each set, the mean over its pairs, which is the mean of
// its distances. Vectors that are not used, and sets with fewer than two, get 0.
//
// A vector shorter than 1e-8 counts as divided by 1e-8, as torch's cosine_similarity has it: a zero
// vector is at distance 1 from every other. A vector whose squared length is not a finite float
// (NaN, an infinity, numbers of 1e19) makes the results of its set NaN, and is counted.
//
// Sums have a fixed order, so the same input gives the same bits. A call enqueues one kernel: it
// neither waits nor allocates, and can be captured in a CUDA graph.
#pragma once

#include <cstdint>

#include "kernels/common/key_types.hpp"
#include "kernels/common/status.hpp"

struct CUstream_st;

namespace stepscope::kernels {

inline constexpr std::int64_t kPairwiseMostCount = 64;
inline constexpr std::int64_t kPairwiseMostWidth = 8192;
inline constexpr float kPairwiseLeastLength = 1e-8F;

struct VectorSets {
  const void* vectors = nullptr;  // [sets, count, width], aligned as its type
  KeyType type = KeyType::float32;
  std::int64_t sets = 0, count = 0, width = 0;
  const std::int32_t* lengths = nullptr;  // [sets], 0 to count; optional: all are used
};

struct PairwiseCosine {
  VectorSets sets;
  float* scores = nullptr;             // [sets]
  float* distances = nullptr;          // [sets, count]; optional
  std::int32_t* not_finite = nullptr;  // [sets]: vectors that are not finite; optional
};

// Makes the gradient of the vectors from those of scores and distances. Sets with fewer than two
// used vectors, and vectors that are not used, get 0.
struct PairwiseCosineGradient {
  VectorSets sets;
  const float* of_scores = nullptr;     // [sets]; optional: 0
  const float* of_distances = nullptr;  // [sets, count]; optional: 0
  void* gradients = nullptr;            // as vectors
};

// Says what is wrong with the arguments; ok where a call would launch.
Status validate(const PairwiseCosine& arguments);
Status validate(const PairwiseCosineGradient& arguments);

// Enqueues on the stream.
Status pairwise_cosine(const PairwiseCosine& arguments, CUstream_st* stream);
Status pairwise_cosine_gradient(const PairwiseCosineGradient& arguments, CUstream_st* stream);

}  // namespace stepscope::kernels
