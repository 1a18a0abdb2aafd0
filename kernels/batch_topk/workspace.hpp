// SPDX-License-Identifier: Apache-2.0
// Byte offsets within the workspace; each part begins at a multiple of 256.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/batch_topk/batch_topk.hpp"

namespace stepscope::kernels {

struct BatchTopkWorkspace {
  static constexpr std::size_t kStateBytes = 1024;  // counters and decisions (state.cuh)
  static constexpr std::uint32_t kFineBins = 1U << 16;
  static constexpr std::uint32_t kRadixBins = 1U << 11;
  static constexpr std::uint32_t kCollections = 3;
  static constexpr std::uint32_t kRowsOfPart = 1024;  // statistics are summed by parts of the rows
  static constexpr std::int64_t kMostSlots = 512;

  std::size_t state = 0;
  std::size_t candidate_bins = 0;         // uint32 [kCollections][kRadixBins] (state.cuh)
  std::size_t radix_histogram = 0;        // uint64 [kRadixBins]
  std::size_t zeroed_bytes = 0;           // all of the above, set to 0 by each call
  std::size_t sample_coarse = 0;          // uint32 [kRadixBins]
  std::size_t sample_fine = 0;            // uint32 [kFineBins]
  std::size_t sampling_zeroed_bytes = 0;  // all of the above, set to 0 by a call that samples
  std::size_t statistics = 0;             // float2 [parts][columns], for z_score
  std::size_t candidate_table = 0;        // uint64 [kRadixBins][candidate_slots]
  std::size_t candidate_list = 0;         // uint64 [candidate_capacity]
  std::size_t finalists = 0;              // uint64 [candidate_capacity]
  std::int64_t candidate_slots = 0;  // slots of a bin; candidates that find it full go to the list
  std::int64_t candidate_capacity = 0;
  std::size_t bytes = 0;
};

BatchTopkWorkspace workspace_of(const BatchTopkArguments& arguments);

}  // namespace stepscope::kernels
