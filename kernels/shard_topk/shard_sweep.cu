// SPDX-License-Identifier: Apache-2.0
// Behind batch_topk_collect: a grid that packs a shard's candidates, a warp a bin, and one block
// that finds the cut among all shards', in two reads of them.
#include "kernels/shard_topk/shard_sweep.hpp"

#include <algorithm>

#include "kernels/batch_topk/batch_topk_collect.hpp"
#include "kernels/batch_topk/collected.cuh"
#include "kernels/common/block_scan.cuh"
#include "kernels/common/cuda_check.hpp"
#include "kernels/common/grid_sync.cuh"
#include "kernels/common/launch.cuh"

namespace stepscope::kernels {
namespace {

constexpr int kPackThreads = 512;
constexpr int kPackWarps = kPackThreads / kWarpSize;
constexpr unsigned kPackBlocks = batch_topk_device::kBins / kPackWarps;
constexpr int kSettleThreads = 1024;
static_assert(kShardFinalists <= kSettleThreads);

struct Parameters {
  std::uint32_t rows;
  std::uint32_t words_per_row;
  std::uint32_t group_columns;
  std::uint32_t floor;
  std::int64_t count;
  std::uint32_t* mask;
  ShardSweepState* state;
  std::int64_t* published;
  ShardCutOutcome* outcome;
};

// 64-bit divisions are long.
__device__ std::uint32_t column_of(const Parameters& p, std::uint64_t place) {
  return (place >> 32) == 0 ? static_cast<std::uint32_t>(place) / p.rows
                            : static_cast<std::uint32_t>(place / p.rows);
}

__device__ void set_bit(const Parameters& p, std::int64_t of_place) {
  const auto place = static_cast<std::uint64_t>(of_place);
  const std::uint32_t column = column_of(p, place);
  const auto row = static_cast<std::uint32_t>(place - std::uint64_t{column} * p.rows);
  atomicOr(p.mask + std::uint64_t{row} * p.words_per_row + column / 32, 1U << (column % 32));
}

struct Pack {
  Parameters shard;
  Collected collected;
};

__device__ void publish(const Pack& p, const CandidateCode& coding, std::uint64_t candidate,
                        std::uint64_t at) {
  const Cut cut = coding.decode(candidate);
  const std::uint32_t column = column_of(p.shard, static_cast<std::uint64_t>(cut.place));
  p.shard.published[2 + at] = finalist_code(cut.key, coding.low, column / p.shard.group_columns);
  p.shard.state->places[at] = cut.place;
}

// Where a block's bins begin among all that stand in the table; the last bins come first.
struct PackShared {
  std::uint32_t first[kPackWarps], held[kPackWarps];
};

// Called by the whole block; how many candidates stand in the table.
__device__ std::uint32_t place_bins(const Collected& collected, PackShared& shared) {
  constexpr std::uint32_t kOfThread = batch_topk_device::kBins / kPackThreads;
  std::uint32_t held[kOfThread];
  std::uint32_t own = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < kOfThread; ++i) {
    held[i] = min(__ldcg(collected.bins + threadIdx.x * kOfThread + i), collected.slots);
    own += held[i];
  }
  std::uint32_t total = 0;
  std::uint32_t first = block_sum_above<kPackThreads>(own, &total);
#pragma unroll
  for (std::uint32_t i = 0; i < kOfThread; ++i) {
    const std::uint32_t bin = threadIdx.x * kOfThread + i;
    if (bin / kPackWarps == blockIdx.x) {
      shared.first[bin % kPackWarps] = first;
      shared.held[bin % kPackWarps] = held[i];
    }
    first += held[i];
  }
  __syncthreads();
  return total;
}

__global__ void __launch_bounds__(kPackThreads) pack_kernel(const __grid_constant__ Pack p) {
  __shared__ PackShared shared;
  wait_for_grid_before();
  const Collected& collected = p.collected;
  const std::uint64_t listed = __ldcg(&collected.found->listed);
  const std::uint64_t above = __ldcg(&collected.found->above);
  const bool encodable = collected.found->bracket.encodable;
  const CandidateCode coding = collected.coding();
  const std::uint32_t in_table = place_bins(collected, shared);
  const std::uint64_t all = in_table + listed;
  const bool fits = encodable && all <= kShardCandidates;
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * kPackThreads + threadIdx.x;
  if (thread == 0) {
    p.shard.published[0] = static_cast<std::int64_t>(above);
    p.shard.published[1] = fits        ? static_cast<std::int64_t>(all)
                           : encodable ? -static_cast<std::int64_t>(all)
                                       : -kShardCandidates - 1;
  }
  // All that is exchanged is written.
  if (thread < kShardCandidates && (!fits || thread >= all)) p.shard.published[2 + thread] = 0;
  if (!fits) return;
  const std::uint64_t slots =
      std::uint64_t{blockIdx.x * kPackWarps + warp_index()} * collected.slots;
  const std::uint32_t first = shared.first[warp_index()];
  for (std::uint32_t i = lane_index(); i < shared.held[warp_index()]; i += kWarpSize)
    publish(p, coding, __ldcg(collected.table + slots + i), first + i);
  if (thread < listed) publish(p, coding, __ldcg(collected.list + thread), in_table + thread);
}
static_assert(std::uint64_t{kPackBlocks} * kPackThreads >= kShardCandidates);

struct Settle {
  Parameters shard;
  const std::int64_t* all_published;
  std::int64_t own, shards;

  __device__ const std::int64_t* told_by(std::int64_t number) const {
    return all_published + number * kShardPublished;
  }
};

struct SettleShared {
  std::uint32_t histogram[kShardBins];
  // Codes in the bin that holds the cut, in any order.
  std::int64_t codes[kShardFinalists];
  std::int64_t order[kShardFinalists];  // among equal codes: own ones' places, others' shard
  std::int64_t above[kMostShards], candidates[kMostShards];
  std::uint32_t listed, least;
};

// Shards before the own one and behind it, among equal codes.
constexpr std::int64_t kBeforeOwn = -1;
constexpr std::int64_t kBehindOwn = std::int64_t{1} << 62;

// Called by the whole block, as all that follow.
__device__ SweepSums begin(const Settle& p, SettleShared& shared) {
  for (std::uint32_t bin = threadIdx.x; bin < kShardBins; bin += kSettleThreads)
    shared.histogram[bin] = 0;
  if (threadIdx.x < p.shards) {
    shared.above[threadIdx.x] = p.told_by(threadIdx.x)[0];
    shared.candidates[threadIdx.x] = p.told_by(threadIdx.x)[1];
  }
  if (threadIdx.x == 0) shared.listed = shared.least = 0;
  __syncthreads();
  SweepSums sums;
  for (std::int64_t shard = 0; shard < p.shards; ++shard)
    sums.add(shared.above[shard], shared.candidates[shard]);
  return sums;
}

// A thread's share of a shard's numbers, under way together.
struct OfThread {
  static constexpr int kCount = kShardCandidates / kSettleThreads;
  std::int64_t at[kCount];

  __device__ OfThread(const std::int64_t* numbers, std::int64_t count) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) at[i] = holds(i, count) ? numbers[index(i)] : 0;
  }
  __device__ static std::uint32_t index(int i) {
    return threadIdx.x + static_cast<std::uint32_t>(i) * kSettleThreads;
  }
  __device__ static bool holds(int i, std::int64_t count) {
    return index(i) < count;
  }
};

__device__ ChosenBin choose(const Settle& p, int shift, std::int64_t wanted, SettleShared& shared) {
  for (std::int64_t shard = 0; shard < p.shards; ++shard) {
    const std::int64_t count = shared.candidates[shard];
    const OfThread codes(p.told_by(shard) + 2, count);
#pragma unroll
    for (int i = 0; i < OfThread::kCount; ++i)
      if (OfThread::holds(i, count))
        atomicAdd(&shared.histogram[offset_of(codes.at[i]) >> shift], 1U);
  }
  __syncthreads();
  constexpr int kOfThread = kShardBins / kSettleThreads;
  std::uint32_t counts[kOfThread];
#pragma unroll
  for (int i = 0; i < kOfThread; ++i) counts[i] = shared.histogram[threadIdx.x * kOfThread + i];
  std::uint32_t total = 0;
  return block_choose_bin<kSettleThreads>(counts, wanted, &total);
}

__device__ void list(SettleShared& shared, std::int64_t code, std::int64_t order) {
  const std::uint32_t at = atomicAdd(&shared.listed, 1U);
  shared.codes[at] = code;
  shared.order[at] = order;
}

__device__ void list_others(const Settle& p, int shift, std::uint32_t bin, SettleShared& shared) {
  for (std::int64_t shard = 0; shard < p.shards; ++shard) {
    if (shard == p.own) continue;
    const std::int64_t count = shared.candidates[shard];
    const OfThread codes(p.told_by(shard) + 2, count);
#pragma unroll
    for (int i = 0; i < OfThread::kCount; ++i)
      if (OfThread::holds(i, count) && offset_of(codes.at[i]) >> shift == bin)
        list(shared, codes.at[i], shard < p.own ? kBeforeOwn : kBehindOwn);
  }
}

// Sets the bits of own candidates of greater bins; how many of this thread's those are.
__device__ std::int64_t take_own(const Settle& p, int shift, std::uint32_t bin,
                                 SettleShared& shared) {
  const std::int64_t count = shared.candidates[p.own];
  const OfThread codes(p.told_by(p.own) + 2, count);
  const OfThread places(p.shard.state->places, count);
  std::int64_t taken = 0;
#pragma unroll
  for (int i = 0; i < OfThread::kCount; ++i) {
    if (!OfThread::holds(i, count)) continue;
    const std::uint32_t own_bin = offset_of(codes.at[i]) >> shift;
    if (own_bin == bin) list(shared, codes.at[i], places.at[i]);
    if (own_bin <= bin) continue;
    set_bit(p.shard, places.at[i]);
    ++taken;
  }
  return taken;
}

// Ranks the listed finalists; returns whether this thread's is the shard's own and selected, and
// sets its bit then.
__device__ bool take_finalist(const Settle& p, std::int64_t wanted, SettleShared& shared) {
  if (threadIdx.x >= shared.listed) return false;
  const std::int64_t code = shared.codes[threadIdx.x], order = shared.order[threadIdx.x];
  std::int64_t greater = 0, equal = 0, before = 0;
  for (std::uint32_t i = 0; i < shared.listed; ++i) {
    greater += shared.codes[i] > code ? 1 : 0;
    equal += shared.codes[i] == code ? 1 : 0;
    before += shared.codes[i] == code && shared.order[i] < order ? 1 : 0;
  }
  if (greater < wanted && wanted <= greater + equal) atomicMax(&shared.least, offset_of(code));
  if (order == kBeforeOwn || order == kBehindOwn || greater + before >= wanted) return false;
  set_bit(p.shard, order);
  return true;
}

// One block.
__global__ void __launch_bounds__(kSettleThreads) settle_kernel(const __grid_constant__ Settle p) {
  __shared__ SettleShared shared;
  ShardSweepState& state = *p.shard.state;
  const ShardBracket bracket = state.bracket;
  const SweepSums sums = begin(p, shared);
  const BatchTopkWarmStart swept = swept_keys(bracket, p.shard.floor);
  SweepFound found{sweep_choice(sums, p.shard.count, swept.low == p.shard.floor), sums.candidates};
  std::int64_t taken = 0;
  if (finds_least(found)) {
    const int shift = bin_shift(swept);
    const ChosenBin chosen = choose(p, shift, found.choice.wanted, shared);
    if (shared.histogram[chosen.bin] > kShardFinalists) {
      found.choice.verdict = SweepVerdict::many;
    } else {
      list_others(p, shift, chosen.bin, shared);
      taken = take_own(p, shift, chosen.bin, shared);
      __syncthreads();
      if (take_finalist(p, chosen.wanted, shared)) ++taken;
    }
  }
  std::int64_t among = 0;
  (void)block_sum_above<kSettleThreads>(taken, &among);
  if (threadIdx.x != 0) return;
  const bool decided = found.choice.verdict == SweepVerdict::decided;
  *p.shard.outcome = decided ? ShardCutOutcome{shared.above[p.own] + among, 1} : ShardCutOutcome{};
  found.least = swept.low + shared.least;
  state.found = found_by(state.found, found, p.shard.count);
  state.bracket = next_bracket(bracket, swept, found, p.shard.count, p.shards);
}

__global__ void learn_kernel(ShardSweepState* state, const ShardCutState* found) {
  learn(*state, *found);
}

Parameters parameters_of(const ShardSweepArguments& arguments) {
  const BatchTopkArguments& matrix = arguments.matrix;
  Parameters p{};
  p.rows = static_cast<std::uint32_t>(matrix.rows);
  p.words_per_row = static_cast<std::uint32_t>(mask_words_per_row(matrix.columns));
  p.group_columns =
      static_cast<std::uint32_t>(std::max<std::int64_t>(matrix.columns / arguments.groups, 1));
  p.floor = shard_floor(matrix.positives_only);
  p.count = matrix.count;
  p.mask = matrix.mask;
  p.state = arguments.state;
  p.published = arguments.published;
  p.outcome = arguments.outcome;
  return p;
}

}  // namespace

Status shard_sweep_collect(const ShardSweepArguments& arguments, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  BatchTopkArguments matrix = arguments.matrix;
  matrix.warm_start = &arguments.state->bracket.keys;
  if (Status status = batch_topk_collect(matrix, stream); !status.ok()) return status;
  if (sweeps_nothing(matrix))
    return cuda_status(
        cudaMemsetAsync(arguments.published, 0, kShardPublished * sizeof(std::int64_t), stream),
        "cudaMemsetAsync");
  DeviceLimits device;
  if (Status s = cuda_status(DeviceLimits::of_current(&device), "cudaDeviceGetAttribute"); !s.ok())
    return s;
  const Launch pack{kPackBlocks, kPackThreads, 0, stream, device, true};
  return cuda_status(
      pack.overlapping(pack_kernel, Pack{parameters_of(arguments), collected_of(matrix)}),
      "pack_kernel");
}

Status shard_sweep_settle(const ShardSweepArguments& arguments, const std::int64_t* all_published,
                          std::int64_t shard, std::int64_t shards, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (all_published == nullptr)
    return Status::bad_argument("all_published", "must point to what was published");
  if (shards < 1 || shards > kMostShards)
    return Status::bad_argument("shards", "must be 1 to kMostShards");
  if (shard < 0 || shard >= shards) return Status::bad_argument("shard", "must be 0 to shards - 1");
  settle_kernel<<<1, kSettleThreads, 0, stream>>>(
      {parameters_of(arguments), all_published, shard, shards});
  return cuda_status(cudaGetLastError(), "settle_kernel");
}

Status shard_sweep_learn(ShardSweepState* state, const ShardCutState* found, CUstream_st* stream) {
  if (state == nullptr) return Status::bad_argument("state", "must point to a state");
  if (found == nullptr) return Status::bad_argument("found", "must point to a state");
  learn_kernel<<<1, 1, 0, stream>>>(state, found);
  return cuda_status(cudaGetLastError(), "learn_kernel");
}

}  // namespace stepscope::kernels
