// SPDX-License-Identifier: Apache-2.0
// Four reads of the keys, each at one load an entry: three count a digit, the last one the equals.
#include "kernels/batch_topk/limits.cuh"
#include "kernels/common/block_scan.cuh"
#include "kernels/common/cuda_check.hpp"
#include "kernels/common/launch.cuh"
#include "kernels/shard_topk/shard_topk.hpp"

namespace stepscope::kernels {
namespace {

using Count = unsigned long long;  // what atomicAdd takes

constexpr int kThreads = 256;
constexpr int kBlocksOfMultiprocessor = 4;
constexpr std::int64_t kStripColumns = 4096;
constexpr std::uint32_t kCopies = 4;  // copies of the shared counts, for keys that are alike

struct Parameters {
  const void* keys;
  std::int64_t rows, columns, count, group_columns;
  const float* mean;  // null for raw keys
  const float* scale;
  std::uint32_t floor;
  NanRank nan;
  int round;
  ShardTopkState* state;
  Count* counts;
  Count* shares;
};

// visit(key, column) for the entries of this thread that may be selected: a block takes a strip of
// columns of one row after the other.
template <class T, class Visit>
__device__ void for_each_key(const Parameters& p, Visit visit) {
  const std::int64_t strips = (p.columns + kStripColumns - 1) / kStripColumns;
  for (std::int64_t i = blockIdx.x; i < strips * p.rows; i += gridDim.x) {
    const std::int64_t row = i / strips;
    const std::int64_t begin = i % strips * kStripColumns;
    const std::int64_t end = min(begin + kStripColumns, p.columns);
    const T* const keys = static_cast<const T*>(p.keys) + row * p.columns;
    for (std::int64_t column = begin + threadIdx.x; column < end; column += kThreads) {
      float key = to_float(keys[column]);
      if (p.mean != nullptr)
        key = batch_topk_device::affine_key(key, p.mean[column], p.scale[column]);
      const std::uint32_t ordered = ordered_key(key, p.nan);
      if (ordered >= p.floor) visit(ordered, column);
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) count_kernel(const Parameters p) {
  __shared__ std::uint32_t counts[kShardBins * kCopies];
  for (std::uint32_t i = threadIdx.x; i < kShardBins * kCopies; i += kThreads) counts[i] = 0;
  const std::uint32_t prefix = p.round == 0 ? 0 : p.state->least;
  const Digit digit = shard_digit(p.round);
  const std::uint32_t copy = threadIdx.x % kCopies;
  __syncthreads();
  for_each_key<T>(p, [&](std::uint32_t key, std::int64_t) {
    if (matches_prefix(key, prefix, digit))
      atomicAdd(&counts[digit_of(key, digit) * kCopies + copy], 1U);
  });
  __syncthreads();
  for (std::uint32_t bin = threadIdx.x; bin < kShardBins; bin += kThreads) {
    Count sum = 0;
    for (std::uint32_t i = 0; i < kCopies; ++i) sum += counts[bin * kCopies + i];
    if (sum > 0) atomicAdd(&p.counts[bin], sum);
  }
}

// One block.
__global__ void __launch_bounds__(kThreads) choose_kernel(const Parameters p) {
  constexpr int kPerThread = kShardBins / kThreads;
  Count counts[kPerThread];
  Count own = 0;
  for (int i = 0; i < kPerThread; ++i) {
    counts[i] = p.counts[threadIdx.x * kPerThread + i];
    own += counts[i];
  }
  Count total = 0;
  (void)block_sum_above<kThreads>(own, &total);
  ShardTopkState state;
  if (p.round == 0) {
    const std::int64_t selected = min(p.count, static_cast<std::int64_t>(total));
    state = selected < 1 ? select_none_of_shards() : ShardTopkState{0, selected, selected};
  } else {
    state = *p.state;  // state after the round before
  }
  const ChosenBin chosen = block_choose_bin<kThreads>(counts, state.wanted, &total);
  if (state.selected > 0) advance(state, p.round, chosen);
  if (threadIdx.x == 0) *p.state = state;
}

// A thread's equals of one group, added when the group changes.
class GroupSum {
 public:
  __device__ explicit GroupSum(Count* groups) : groups_(groups) {}
  __device__ ~GroupSum() { flush(); }
  __device__ void add(std::int64_t group) {
    if (group != group_) flush();
    group_ = group;
    ++sum_;
  }

 private:
  __device__ void flush() {
    if (sum_ > 0) atomicAdd(&groups_[group_], sum_);
    sum_ = 0;
  }
  Count* const groups_;
  Count sum_ = 0;
  std::int64_t group_ = 0;
};

template <class T>
__global__ void __launch_bounds__(kThreads) shares_kernel(const Parameters p) {
  const std::uint32_t least = p.state->least;
  Count above = 0;
  {
    GroupSum equals(p.shares + 1);
    for_each_key<T>(p, [&](std::uint32_t key, std::int64_t column) {
      if (key > least) ++above;
      if (key == least) equals.add(column / p.group_columns);
    });
  }
  above = warp_sum(above);
  if (lane_index() == 0 && above > 0) atomicAdd(&p.shares[0], above);
}

struct OwnCount {
  const std::int64_t* all_shares;
  std::int64_t groups, shard, shards;
  const ShardTopkState* state;
  std::int64_t* own_count;
};

// One block; a thread takes neighbouring groups, the first thread the last ones, as
// block_sum_above adds.
__global__ void __launch_bounds__(kThreads) own_count_kernel(const OwnCount p) {
  const std::int64_t width = p.groups + 1;
  const std::int64_t per_thread = (p.groups + kThreads - 1) / kThreads;
  const std::int64_t begin = min((kThreads - 1 - std::int64_t{threadIdx.x}) * per_thread, p.groups);
  const std::int64_t end = min(begin + per_thread, p.groups);
  const auto equal = [&](std::int64_t shard, std::int64_t group) {
    return p.all_shares[shard * width + 1 + group];
  };
  std::int64_t own = 0;
  for (std::int64_t group = begin; group < end; ++group)
    for (std::int64_t shard = 0; shard < p.shards; ++shard) own += equal(shard, group);
  std::int64_t total = 0;
  std::int64_t before = block_sum_above<kThreads>(own, &total);
  std::int64_t selected = 0;
  for (std::int64_t group = begin; group < end; ++group)
    for (std::int64_t shard = 0; shard < p.shards; ++shard) {
      if (shard == p.shard) selected += selected_equals(*p.state, before, equal(shard, group));
      before += equal(shard, group);
    }
  (void)block_sum_above<kThreads>(selected, &total);
  if (threadIdx.x == 0) *p.own_count = p.all_shares[p.shard * width] + total;
}

Parameters parameters_of(const ShardTopkArguments& arguments, int round) {
  const BatchTopkArguments& matrix = arguments.matrix;
  Parameters p{};
  p.keys = matrix.keys;
  p.rows = matrix.rows;
  p.columns = matrix.columns;
  p.count = matrix.count;
  p.group_columns = matrix.columns / arguments.groups;
  if (matrix.column_keys.source == KeySource::affine) {
    p.mean = matrix.column_keys.mean;
    p.scale = matrix.column_keys.scale;
  }
  p.floor = shard_floor(matrix.positives_only);
  p.nan = shard_nan_rank(matrix.nan);
  p.round = round;
  p.state = arguments.state;
  p.counts = reinterpret_cast<Count*>(arguments.counts);
  p.shares = reinterpret_cast<Count*>(arguments.shares);
  return p;
}

using Kernel = void (*)(Parameters);

// Over all keys, with the numbers that it adds to set to 0 before.
Status read_keys(const ShardTopkArguments& arguments, const Parameters& p, Count* sums,
                 std::size_t sum_count, const Kernel (&kernel_of_type)[3], cudaStream_t stream) {
  const cudaError_t cleared = cudaMemsetAsync(sums, 0, sum_count * sizeof(Count), stream);
  if (cleared != cudaSuccess) return cuda_status(cleared, "cudaMemsetAsync");
  if (p.rows == 0 || p.columns == 0) return {};
  DeviceLimits device;
  if (Status s = cuda_status(DeviceLimits::of_current(&device), "cudaDeviceGetAttribute"); !s.ok())
    return s;
  const auto blocks = static_cast<unsigned>(device.multiprocessors * kBlocksOfMultiprocessor);
  kernel_of_type[static_cast<int>(arguments.matrix.key_type)]<<<blocks, kThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "shard_topk");
}

Status check(const ShardTopkArguments& arguments, int round) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (round < 0 || round >= kShardRounds)
    return Status::bad_argument("round", "must be 0 to kShardRounds - 1");
  return {};
}

static_assert(static_cast<int>(KeyType::bfloat16) == 0 && static_cast<int>(KeyType::float16) == 1 &&
              static_cast<int>(KeyType::float32) == 2);

}  // namespace

Status shard_topk_count(const ShardTopkArguments& arguments, int round, CUstream_st* stream) {
  if (Status status = check(arguments, round); !status.ok()) return status;
  const Parameters p = parameters_of(arguments, round);
  return read_keys(arguments, p, p.counts, kShardBins,
                   {count_kernel<Bfloat16>, count_kernel<Float16>, count_kernel<float>}, stream);
}

Status shard_topk_choose(const ShardTopkArguments& arguments, int round, CUstream_st* stream) {
  if (Status status = check(arguments, round); !status.ok()) return status;
  choose_kernel<<<1, kThreads, 0, stream>>>(parameters_of(arguments, round));
  return cuda_status(cudaGetLastError(), "choose_kernel");
}

Status shard_topk_shares(const ShardTopkArguments& arguments, CUstream_st* stream) {
  if (Status status = check(arguments, 0); !status.ok()) return status;
  const Parameters p = parameters_of(arguments, 0);
  return read_keys(arguments, p, p.shares, static_cast<std::size_t>(1 + arguments.groups),
                   {shares_kernel<Bfloat16>, shares_kernel<Float16>, shares_kernel<float>}, stream);
}

Status shard_topk_own_count(const ShardTopkArguments& arguments, const std::int64_t* all_shares,
                            std::int64_t shard, std::int64_t shards, CUstream_st* stream) {
  if (Status status = check(arguments, 0); !status.ok()) return status;
  if (all_shares == nullptr) return Status::bad_argument("all_shares", "must point to shares");
  if (shards < 1 || shard < 0 || shard >= shards)
    return Status::bad_argument("shard", "must be 0 to shards - 1");
  own_count_kernel<<<1, kThreads, 0, stream>>>(
      {all_shares, arguments.groups, shard, shards, arguments.state, arguments.own_count});
  return cuda_status(cudaGetLastError(), "own_count_kernel");
}

}  // namespace stepscope::kernels
