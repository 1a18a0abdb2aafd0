// SPDX-License-Identifier: Apache-2.0
// Two walks over the mask, of which the second also drops the bits below the chosen bin, and one
// block that ranks the finalists.
#include "kernels/shard_topk/shard_cut.hpp"

#include <algorithm>

#include "kernels/common/block_scan.cuh"
#include "kernels/common/cuda_check.hpp"
#include "kernels/common/launch.cuh"
#include "kernels/shard_topk/marked_keys.cuh"

namespace stepscope::kernels {
namespace {

using Count = unsigned long long;  // what atomicAdd takes

constexpr int kBlocksOfMultiprocessor = 3;

struct Parameters {
  MarkedMatrix matrix;
  std::int64_t count;
  std::uint32_t group_columns;
  ShardCutState* state;
  Count* counts;
  std::int64_t* finalists;
  ShardCutOutcome* outcome;
};

template <class T>
__global__ void __launch_bounds__(kMarkedThreads, kBlocksOfMultiprocessor)
    count_kernel(const __grid_constant__ Parameters p) {
  __shared__ std::uint32_t counts[kShardBins];
  for (std::uint32_t i = threadIdx.x; i < kShardBins; i += kMarkedThreads) counts[i] = 0;
  const ShardGuess guess = p.state->guess;
  if (blockIdx.x == 0) {  // for shard_cut_list; all that is exchanged is written
    for (int i = static_cast<int>(threadIdx.x); i < 1 + kShardFinalists; i += kMarkedThreads)
      p.finalists[i] = 0;
    if (threadIdx.x == 0) p.state->kept = 0;
  }
  __syncthreads();
  for_each_marked<T>(p.matrix, [&](const MarkedEntry& entry) {
    atomicAdd(&counts[bin_of(guess, entry.key)], 1U);
  });
  __syncthreads();
  for (std::uint32_t bin = threadIdx.x; bin < kShardBins; bin += kMarkedThreads)
    if (counts[bin] > 0) atomicAdd(&p.counts[bin], Count{counts[bin]});
}

// The same in all threads of all blocks, each called as a whole.
__device__ ShardChoice choose(const Parameters& p) {
  constexpr int kPerThread = kShardBins / kMarkedThreads;
  Count counts[kPerThread];
  Count own = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    counts[i] = p.counts[threadIdx.x * kPerThread + static_cast<std::uint32_t>(i)];
    own += counts[i];
  }
  Count total = 0;
  (void)block_sum_above<kMarkedThreads>(own, &total);
  if (static_cast<std::int64_t>(total) <= max(p.count, std::int64_t{0})) return all_of_shards();
  const ChosenBin chosen = block_choose_bin<kMarkedThreads>(counts, p.count, &total);
  return choice_of(chosen, static_cast<std::int64_t>(p.counts[chosen.bin]));
}

__device__ void list_finalist(const Parameters& p, const MarkedEntry& entry, std::uint32_t first) {
  const Count at = atomicAdd(reinterpret_cast<Count*>(p.finalists), Count{1});
  if (at >= kShardFinalists) return;
  const std::uint32_t column = p.matrix.column(entry.word, entry.bit);
  p.finalists[1 + at] = finalist_code(entry.key, first, column / p.group_columns);
  p.state->places[at] = std::int64_t{column} * p.matrix.rows + p.matrix.row(entry.word);
}

template <class T>
__global__ void __launch_bounds__(kMarkedThreads, kBlocksOfMultiprocessor)
    list_kernel(const __grid_constant__ Parameters p) {
  const ShardGuess guess = p.state->guess;
  const ShardChoice choice = choose(p);
  if (blockIdx.x == 0 && threadIdx.x == 0) p.state->choice = choice;
  if (choice.decided == 0) return;
  const std::uint32_t first = first_key_of(guess, static_cast<std::uint32_t>(max(choice.bin, 1)));
  std::uint32_t kept = 0;
  for_each_marked<T>(p.matrix, [&](const MarkedEntry& entry) {
    const auto bin = static_cast<std::int32_t>(bin_of(guess, entry.key));
    if (bin > choice.bin)
      ++kept;
    else if (bin < choice.bin)
      p.matrix.clear(entry.word, entry.bit);
    else
      list_finalist(p, entry, first);
  });
  const Count of_warp = warp_sum(Count{kept});
  if (lane_index() == 0 && of_warp > 0)
    atomicAdd(reinterpret_cast<Count*>(&p.state->kept), of_warp);
}

// All shards' finalists side by side, no more than kShardFinalists, and where this shard's begin.
struct AllFinalists {
  std::int64_t codes[kShardFinalists];
  std::int64_t places[kShardFinalists];  // places of this shard's own finalists
};

struct OwnFinalists {
  std::uint32_t begin = 0, end = 0, all = 0;
};

struct Settle {
  Parameters shard;
  const std::int64_t* all_finalists;
  std::int64_t own, shards;
};

// Called by the whole block.
__device__ OwnFinalists gather(const Settle& p, AllFinalists& shared) {
  OwnFinalists own;
  for (std::int64_t shard = 0; shard < p.shards; ++shard) {
    const std::int64_t* const of = p.all_finalists + shard * (1 + kShardFinalists);
    const std::int64_t room = kShardFinalists - std::int64_t{own.all};
    const auto count = static_cast<std::uint32_t>(max(min(of[0], room), std::int64_t{0}));
    if (threadIdx.x < count) shared.codes[own.all + threadIdx.x] = of[1 + threadIdx.x];
    if (shard == p.own) {
      own.begin = own.all;
      own.end = own.all + count;
      if (threadIdx.x < count) shared.places[threadIdx.x] = p.shard.state->places[threadIdx.x];
    }
    own.all += count;
  }
  __syncthreads();
  return own;
}

// Returns how many of all finalists come before this thread's own one.
__device__ std::int64_t before(const OwnFinalists& own, const AllFinalists& shared) {
  const std::int64_t code = shared.codes[own.begin + threadIdx.x];
  const std::int64_t place = shared.places[threadIdx.x];
  std::int64_t count = 0;
  for (std::uint32_t i = 0; i < own.all; ++i) {
    const bool earlier = i < own.begin || (i < own.end && shared.places[i - own.begin] < place);
    if (shared.codes[i] > code || (shared.codes[i] == code && earlier)) ++count;
  }
  return count;
}

// One block.
__global__ void __launch_bounds__(kShardFinalists) settle_kernel(const __grid_constant__ Settle p) {
  __shared__ AllFinalists shared;
  const MarkedMatrix& matrix = p.shard.matrix;
  ShardCutState* const state = p.shard.state;
  const ShardChoice choice = state->choice;
  bool selected = false;
  if (choice.decided != 0) {
    const OwnFinalists own = gather(p, shared);
    if (threadIdx.x < own.end - own.begin) {
      selected = before(own, shared) < choice.wanted;
      const auto place = static_cast<std::uint64_t>(shared.places[threadIdx.x]);
      const auto column = static_cast<std::uint32_t>(place / matrix.rows);
      const auto row = static_cast<std::uint32_t>(place - std::uint64_t{column} * matrix.rows);
      if (!selected) matrix.clear(matrix.word(row, column), column % 32);
    }
  }
  const int among = __syncthreads_count(selected);
  if (threadIdx.x != 0) return;
  *p.shard.outcome =
      choice.decided != 0 ? ShardCutOutcome{state->kept + among, 1} : ShardCutOutcome{};
  state->guess = next_guess(state->guess, choice);
}

__global__ void learn_kernel(ShardCutState* state, const ShardTopkState* found) {
  if (found->selected > 0) state->guess = guess_about(found->least, state->guess.narrower);
}

Parameters parameters_of(const ShardCutArguments& arguments) {
  const BatchTopkArguments& matrix = arguments.matrix;
  Parameters p{};
  p.matrix.keys = matrix.keys;
  p.matrix.mask = matrix.mask;
  p.matrix.rows = static_cast<std::uint32_t>(matrix.rows);
  p.matrix.columns = static_cast<std::uint32_t>(matrix.columns);
  p.matrix.words_per_row = static_cast<std::uint32_t>(mask_words_per_row(matrix.columns));
  if (matrix.column_keys.source == KeySource::affine) {
    p.matrix.mean = matrix.column_keys.mean;
    p.matrix.scale = matrix.column_keys.scale;
  }
  p.matrix.nan = shard_nan_rank(matrix.nan);
  p.count = matrix.count;
  p.group_columns =
      static_cast<std::uint32_t>(std::max<std::int64_t>(matrix.columns / arguments.groups, 1));
  p.state = arguments.state;
  p.counts = reinterpret_cast<Count*>(arguments.counts);
  p.finalists = arguments.finalists;
  p.outcome = arguments.outcome;
  return p;
}

using Kernel = void (*)(Parameters);

Status walk(const ShardCutArguments& arguments, const Kernel (&kernel_of_type)[3],
            cudaStream_t stream) {
  DeviceLimits device;
  if (Status s = cuda_status(DeviceLimits::of_current(&device), "cudaDeviceGetAttribute"); !s.ok())
    return s;
  const BatchTopkArguments& matrix = arguments.matrix;
  const std::int64_t words = matrix.rows * mask_words_per_row(matrix.columns);
  constexpr std::int64_t kWordsOfBlock = std::int64_t{kMarkedThreads} * kWordsAhead;
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::int64_t>((words + kWordsOfBlock - 1) / kWordsOfBlock, 1,
                               std::int64_t{device.multiprocessors} * kBlocksOfMultiprocessor));
  kernel_of_type[static_cast<int>(matrix.key_type)]<<<blocks, kMarkedThreads, 0, stream>>>(
      parameters_of(arguments));
  return cuda_status(cudaGetLastError(), "shard_cut");
}

static_assert(static_cast<int>(KeyType::bfloat16) == 0 && static_cast<int>(KeyType::float16) == 1 &&
              static_cast<int>(KeyType::float32) == 2);

}  // namespace

Status shard_cut_count(const ShardCutArguments& arguments, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  const cudaError_t cleared =
      cudaMemsetAsync(arguments.counts, 0, kShardBins * sizeof(Count), stream);
  if (cleared != cudaSuccess) return cuda_status(cleared, "cudaMemsetAsync");
  return walk(arguments, {count_kernel<Bfloat16>, count_kernel<Float16>, count_kernel<float>},
              stream);
}

Status shard_cut_list(const ShardCutArguments& arguments, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  return walk(arguments, {list_kernel<Bfloat16>, list_kernel<Float16>, list_kernel<float>}, stream);
}

Status shard_cut_settle(const ShardCutArguments& arguments, const std::int64_t* all_finalists,
                        std::int64_t shard, std::int64_t shards, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (all_finalists == nullptr)
    return Status::bad_argument("all_finalists", "must point to finalists");
  if (shards < 1 || shard < 0 || shard >= shards)
    return Status::bad_argument("shard", "must be 0 to shards - 1");
  settle_kernel<<<1, kShardFinalists, 0, stream>>>(
      {parameters_of(arguments), all_finalists, shard, shards});
  return cuda_status(cudaGetLastError(), "settle_kernel");
}

Status shard_cut_learn(const ShardCutArguments& arguments, const ShardTopkState* found,
                       CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (found == nullptr) return Status::bad_argument("found", "must point to a state");
  learn_kernel<<<1, 1, 0, stream>>>(arguments.state, found);
  return cuda_status(cudaGetLastError(), "learn_kernel");
}

}  // namespace stepscope::kernels
