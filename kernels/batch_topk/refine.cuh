// SPDX-License-Identifier: Apache-2.0
// From candidates to the cut. All blocks choose the bin of the candidates' histogram that holds the
// cut, set the bits of the candidates above it and list those within it, the finalists; the block
// that comes last finds the cut among these and writes the result. No block waits for another.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/state.cuh"
#include "kernels/batch_topk/strip_stream.cuh"
#include "kernels/common/block_scan.cuh"
#include "kernels/common/grid_sync.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr std::uint32_t kSmallList = 1024;
constexpr int kBinsPerThread = static_cast<int>(kBins) / kThreads;

struct RefineShared {
  std::uint32_t histogram[kBins];
  std::uint64_t list[kSmallList];
  std::uint32_t listed;
  std::uint64_t cut;
};

// What is left to select, and what came before.
struct Remainder {
  std::int64_t candidates, wanted, above;
  BatchTopkPath path;
  std::uint32_t reads;
};

__device__ inline void set_bit(const Parameters& p, std::uint32_t row, std::uint32_t column) {
  auto* const words =
      reinterpret_cast<std::uint32_t*>(p.mask + std::uint64_t{row} * p.mask_row_bytes);
  atomicOr(words + column / 32, 1U << (column % 32));
}

__device__ inline void set_bit(const Parameters& p, const Cut& cut) {
  const auto place = static_cast<std::uint64_t>(cut.place);
  const std::uint32_t column = (place >> 32) == 0
                                   ? static_cast<std::uint32_t>(place) / p.shape.rows
                                   : static_cast<std::uint32_t>(place / p.shape.rows);
  set_bit(p, static_cast<std::uint32_t>(place - std::uint64_t{column} * p.shape.rows), column);
}

template <int kPerThread>
__device__ inline void load_bins(const std::uint32_t* histogram,
                                 std::uint32_t (&counts)[kPerThread]) {
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) counts[i] = histogram[threadIdx.x * kPerThread + i];
}

// Of the codes of a list, those whose bits above `bits` are those of `prefix`.
__device__ inline bool belongs(std::uint64_t code, std::uint64_t prefix, int bits) {
  return bits >= 64 || (code >> bits) == (prefix >> bits);
}

// The wanted-th greatest of count distinct numbers in global memory; all have `bits` undecided bits
// below those of prefix. Called by one whole block.
__device__ inline std::uint64_t nth_greatest(const std::uint64_t* codes, std::int64_t count,
                                             std::int64_t wanted, std::uint64_t prefix, int bits,
                                             RefineShared& shared) {
  std::int64_t inside = count;
  while (inside > kSmallList) {
    const int shift = bits > kBinBits ? bits - kBinBits : 0;
    for (std::uint32_t bin = threadIdx.x; bin < kBins; bin += kThreads) shared.histogram[bin] = 0;
    __syncthreads();
    for (std::int64_t i = threadIdx.x; i < count; i += kThreads) {
      const std::uint64_t code = __ldcg(codes + i);
      if (belongs(code, prefix, bits)) atomicAdd(&shared.histogram[(code - prefix) >> shift], 1U);
    }
    __syncthreads();
    std::uint32_t counts[kBinsPerThread];
    load_bins(shared.histogram, counts);
    std::uint32_t total = 0;
    const ChosenBin chosen = block_choose_bin<kThreads>(counts, wanted, &total);
    inside = shared.histogram[chosen.bin];
    prefix += std::uint64_t{chosen.bin} << shift;
    wanted = chosen.wanted;
    bits = shift;
    __syncthreads();
  }
  if (inside == count) {
    for (std::int64_t i = threadIdx.x; i < count; i += kThreads) shared.list[i] = __ldcg(codes + i);
    if (threadIdx.x == 0) shared.listed = static_cast<std::uint32_t>(count);
  } else {
    if (threadIdx.x == 0) shared.listed = 0;
    __syncthreads();
    for (std::int64_t i = threadIdx.x; i < count; i += kThreads) {
      const std::uint64_t code = __ldcg(codes + i);
      if (belongs(code, prefix, bits)) shared.list[atomicAdd(&shared.listed, 1U)] = code;
    }
  }
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < shared.listed; i += kThreads) {
    std::int64_t greater = 0;
    for (std::uint32_t other = 0; other < shared.listed; ++other)
      greater += shared.list[other] > shared.list[i] ? 1 : 0;
    if (greater == wanted - 1) shared.cut = shared.list[i];
  }
  __syncthreads();
  return shared.cut;
}

// Half the distance that would hold a tenth of the count on either side, if keys were spread evenly
// here; a bracket that misled is doubled.
__device__ inline std::uint32_t next_half_width(std::uint32_t width, double ranks,
                                                double wanted_ranks, bool misled) {
  const double factor = misled ? 2.0 : fmin(fmax(wanted_ranks / fmax(ranks, 1.0), 0.5), 2.0);
  return static_cast<std::uint32_t>(fmin(fmax(width * factor, 1.0), 1e9));
}

__device__ inline void leave_warm_start(const Parameters& p, const Bracket& used,
                                        const Remainder& left, std::uint32_t key) {
  if (p.warm_start == nullptr) return;
  const bool misled = left.path == BatchTopkPath::exact;
  const std::uint32_t first_guess = p.ranked_type == KeyType::float32 ? 1U << 18 : 4U;
  std::uint32_t below = misled ? p.warm_start->high - p.warm_start->low : key - used.low;
  std::uint32_t above = misled ? below : used.high - key;
  if (misled && (below == 0 || below > first_guess * 64U)) below = above = first_guess;
  const double tenth = 0.1 * static_cast<double>(count_of(p));
  below = next_half_width(below, static_cast<double>(left.candidates - left.wanted), tenth, misled);
  above = next_half_width(above, static_cast<double>(left.wanted), tenth, misled);
  const std::uint32_t most = p.ranked_type == KeyType::float32 ? 0xffffffffU : 0xffffU;
  *p.warm_start = {key > below ? key - below : 0U, key < most - above ? key + above : most};
}

__device__ inline void write_result(const Parameters& p, const Bracket& used, const Remainder& left,
                                    const Cut& cut, std::int64_t nan_count) {
  BatchTopkResult result;
  result.threshold = float_of_ordered(cut.key, p.ranked_type);
  result.ordered_key = cut.key;
  result.selected = left.above + left.wanted;
  result.last_column = cut.place / p.shape.rows;
  result.last_row = cut.place % p.shape.rows;
  result.nan_count = nan_count;
  result.path = left.path;
  result.reads = left.reads;
  *p.result = result;
  leave_warm_start(p, used, left, cut.key);
}

__device__ inline void write_empty_result(const Parameters& p, std::uint32_t reads) {
  BatchTopkResult result;
  result.threshold = __int_as_float(0x7f800000);
  result.nan_count = static_cast<std::int64_t>(p.state->nan_count);
  result.reads = reads;
  *p.result = result;
}

// What refining begins with, loaded at once: the bins of this thread, and its first candidate, of
// which it is not yet known whether there is one.
struct RefineLoads {
  std::uint32_t counts[kBinsPerThread];
  std::uint64_t code;

  __device__ explicit RefineLoads(const Parameters& p) {
    static_assert(kBinsPerThread == 4);
    const uint4 four = __ldcg(reinterpret_cast<const uint4*>(p.candidate_histogram) + threadIdx.x);
    counts[0] = four.x, counts[1] = four.y, counts[2] = four.z, counts[3] = four.w;
    const std::uint64_t first = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
    code = first < p.capacity ? __ldcg(p.candidates + first) : 0;
  }
};

// Selects this block's share of the candidates that lie above the chosen bin; lists those within
// it.
__device__ inline void sort_out_share(const Parameters& p, const Bracket& bracket,
                                      std::int64_t candidates, std::uint32_t chosen_bin,
                                      std::uint64_t code) {
  const CandidateCode coding{bracket.low, p.place_bits};
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  const std::int64_t first = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  for (std::int64_t i = first; i - lane < candidates; i += stride) {
    if (i != first) code = i < candidates ? __ldcg(p.candidates + i) : 0;
    const auto bin = static_cast<std::uint32_t>((code - bracket.first_code) >> bracket.digit_shift);
    const bool finalist = i < candidates && bin == chosen_bin;
    if (i < candidates && bin > chosen_bin) set_bit(p, coding.decode(code));
    const unsigned finalists = __ballot_sync(kAllLanes, finalist);
    if (finalists == 0) continue;
    unsigned long long base = 0;
    if (lane == 0)
      base = atomicAdd(&p.state->finalists, static_cast<unsigned long long>(__popc(finalists)));
    base = __shfl_sync(kAllLanes, base, 0);
    if (finalist) p.finalists[base + __popc(finalists & ((1U << lane) - 1U))] = code;
  }
}

// Called by all blocks; wanted is at least 1.
__device__ inline void refine(const Parameters& p, const Bracket& bracket, const Remainder& left,
                              const RefineLoads& loads, RefineShared& shared) {
  // Blocks that have no candidates need not be waited for.
  const std::int64_t blocks = (left.candidates + kThreads - 1) / kThreads;
  if (blockIdx.x >= blocks) return;
  std::uint32_t total = 0;
  const ChosenBin chosen = block_choose_bin<kThreads>(loads.counts, left.wanted, &total);
  sort_out_share(p, bracket, left.candidates, chosen.bin, loads.code);
  const auto working = static_cast<std::uint32_t>(min(blocks, std::int64_t{gridDim.x}));
  if (!is_last_block(&p.state->refine_arrived, working)) return;

  const auto finalists = static_cast<std::int64_t>(__ldcg(&p.state->finalists));
  const auto nan_count = static_cast<std::int64_t>(__ldcg(&p.state->nan_count));  // at once
  const std::uint64_t prefix =
      bracket.first_code + (std::uint64_t{chosen.bin} << bracket.digit_shift);
  const std::uint64_t cut_code =
      nth_greatest(p.finalists, finalists, chosen.wanted, prefix, bracket.digit_shift, shared);
  const CandidateCode coding{bracket.low, p.place_bits};
  for (std::int64_t i = threadIdx.x; i < finalists; i += kThreads) {
    const std::uint64_t code = finalists <= kSmallList ? shared.list[i] : __ldcg(p.finalists + i);
    if (code >= cut_code) set_bit(p, coding.decode(code));
  }
  if (threadIdx.x == 0) write_result(p, bracket, left, coding.decode(cut_code), nan_count);
}

}  // namespace stepscope::kernels::batch_topk_device
