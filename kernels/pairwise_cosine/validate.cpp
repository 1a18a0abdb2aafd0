// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/checks.hpp"
#include "kernels/pairwise_cosine/pairwise_cosine.hpp"

namespace stepscope::kernels {
namespace {

Status validate_sets(const VectorSets& sets) {
  if (sets.sets < 0 || sets.sets > kMostOfASide)
    return Status::bad_argument("sets", "must be 0 to 2^31 - 1");
  if (sets.count < 1 || sets.count > kPairwiseMostCount)
    return Status::bad_argument("count", "must be 1 to 64");
  if (sets.width < 1 || sets.width > kPairwiseMostWidth)
    return Status::bad_argument("width", "must be 1 to 8192");
  if (sets.sets == 0) return {};
  if (!aligned_to(sets.vectors, bytes_of(sets.type)))
    return Status::bad_argument("vectors", "must point to numbers, aligned to their size");
  if (!aligned(sets.lengths, sizeof(std::int32_t)))
    return Status::bad_argument("lengths", "must be aligned");
  return {};
}

}  // namespace

Status validate(const PairwiseCosine& arguments) {
  if (Status sets = validate_sets(arguments.sets); !sets.ok() || arguments.sets.sets == 0)
    return sets;
  if (!aligned_to(arguments.scores, sizeof(float)))
    return Status::bad_argument("scores", "must point to aligned floats");
  if (!aligned(arguments.distances, sizeof(float)))
    return Status::bad_argument("distances", "must be aligned");
  if (!aligned(arguments.not_finite, sizeof(std::int32_t)))
    return Status::bad_argument("not_finite", "must be aligned");
  return {};
}

Status validate(const PairwiseCosineGradient& arguments) {
  if (Status sets = validate_sets(arguments.sets); !sets.ok() || arguments.sets.sets == 0)
    return sets;
  if (!aligned(arguments.of_scores, sizeof(float)))
    return Status::bad_argument("of_scores", "must be aligned");
  if (!aligned(arguments.of_distances, sizeof(float)))
    return Status::bad_argument("of_distances", "must be aligned");
  if (!aligned_to(arguments.gradients, bytes_of(arguments.sets.type)))
    return Status::bad_argument("gradients", "must point to numbers, aligned to their size");
  return {};
}

}  // namespace stepscope::kernels
