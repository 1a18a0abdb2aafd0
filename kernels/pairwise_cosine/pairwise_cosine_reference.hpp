// SPDX-License-Identifier: Apache-2.0
// Computes the same in plain C++ and double precision, pair by pair: it shares no identity with the
// kernel that it judges. Pointers are to the host's memory.
#pragma once

#include <vector>

#include "kernels/pairwise_cosine/pairwise_cosine.hpp"

namespace stepscope::kernels {

struct PairwiseCosineExpected {
  std::vector<double> scores, distances;
  std::vector<std::int32_t> not_finite;
};

PairwiseCosineExpected pairwise_cosine_reference(const VectorSets& sets);

// Returns numbers of [sets, count, width].
std::vector<double> pairwise_cosine_gradient_reference(const VectorSets& sets,
                                                       const float* of_scores,
                                                       const float* of_distances);

}  // namespace stepscope::kernels
