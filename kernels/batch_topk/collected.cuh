// SPDX-License-Identifier: Apache-2.0
// The contents of a workspace after batch_topk_collect, for kernels of other folders.
//
// A bin holds the candidates of its share of the codes: bins[bin] of them, of which the first
// `slots` stand in table[bin * slots], the others, of all bins, in the list. All are there unless
// together they are more than the capacity.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/batch_topk/state.cuh"

namespace stepscope::kernels {

struct Collected {
  const batch_topk_device::Collection* found;
  const std::uint32_t* bins;  // [batch_topk_device::kBins]
  const std::uint64_t* table;
  const std::uint64_t* list;
  std::uint32_t slots;
  int place_bits;

  __device__ CandidateCode coding() const { return {found->bracket.low, place_bits}; }
};

// Requires a matrix that is not empty and a count of at least 1.
inline Collected collected_of(const BatchTopkArguments& arguments) {
  const BatchTopkWorkspace layout = workspace_of(arguments);
  const auto* const from = static_cast<const std::byte*>(arguments.workspace);
  const auto* const state = reinterpret_cast<const batch_topk_device::State*>(from + layout.state);
  return {&state->guessed,
          reinterpret_cast<const std::uint32_t*>(from + layout.candidate_bins),
          reinterpret_cast<const std::uint64_t*>(from + layout.candidate_table),
          reinterpret_cast<const std::uint64_t*>(from + layout.candidate_list),
          static_cast<std::uint32_t>(layout.candidate_slots),
          bit_width_of(static_cast<std::uint64_t>(arguments.rows * arguments.columns - 1))};
}

}  // namespace stepscope::kernels
