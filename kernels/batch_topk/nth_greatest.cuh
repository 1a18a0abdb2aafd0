// SPDX-License-Identifier: Apache-2.0
// The n-th greatest of distinct numbers, found by one block.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/state.cuh"
#include "kernels/batch_topk/strip_stream.cuh"
#include "kernels/common/block_scan.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr std::uint32_t kSmallList = 1024;
constexpr int kBinsPerThread = static_cast<int>(kBins) / kThreads;

struct RefineShared {
  std::uint32_t histogram[kBins];
  std::uint64_t list[kSmallList];
  std::uint32_t listed;
  std::uint64_t cut;
};

template <int kPerThread>
__device__ inline void load_bins(const std::uint32_t* histogram,
                                 std::uint32_t (&counts)[kPerThread]) {
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) counts[i] = histogram[threadIdx.x * kPerThread + i];
}

// Whether the code's bits above `bits` equal `prefix`'s.
__device__ inline bool belongs(std::uint64_t code, std::uint64_t prefix, int bits) {
  return bits >= 64 || (code >> bits) == (prefix >> bits);
}

// Returns the n-th greatest number of the shared list, which all threads see; called by the whole
// block.
__device__ inline std::uint64_t nth_greatest_listed(std::uint32_t listed, std::int64_t wanted,
                                                    RefineShared& shared) {
  for (std::uint32_t i = threadIdx.x; i < listed; i += kThreads) {
    const std::uint64_t own = shared.list[i];
    std::uint32_t greater = 0;
#pragma unroll 8
    for (std::uint32_t other = 0; other < listed; ++other)
      greater += shared.list[other] > own ? 1U : 0U;
    if (greater == wanted - 1) shared.cut = own;
  }
  __syncthreads();
  return shared.cut;
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
  } else {
    if (threadIdx.x == 0) shared.listed = 0;
    __syncthreads();
    for (std::int64_t i = threadIdx.x; i < count; i += kThreads) {
      const std::uint64_t code = __ldcg(codes + i);
      if (belongs(code, prefix, bits)) shared.list[atomicAdd(&shared.listed, 1U)] = code;
    }
  }
  __syncthreads();
  return nth_greatest_listed(static_cast<std::uint32_t>(inside), wanted, shared);
}

}  // namespace stepscope::kernels::batch_topk_device
