// SPDX-License-Identifier: Apache-2.0
// Sums of many tensors over the ranks in few calls.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/comm/comm.hpp"

namespace stepscope::trainers {

constexpr std::int64_t kBucketBytes = 64 << 20;

// Sums tensors of one type in place: neighbours are copied into one buffer of at most bucket_bytes;
// a larger one goes by itself.
void sum_in_buckets(Comm& comm, const std::vector<at::Tensor>& tensors,
                    std::int64_t bucket_bytes = kBucketBytes);

}  // namespace stepscope::trainers
