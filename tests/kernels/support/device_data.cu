// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/support/device_data.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/batch_topk/sample_sectors.hpp"
#include "kernels/common/device_buffer.hpp"
#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels {
namespace {

constexpr int kBlocks = 1024;
constexpr int kThreads = 256;

__device__ std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27) * 0x94d049bb133111ebU;
  return value ^ value >> 31;
}

__device__ float normal_of(std::uint64_t index, std::uint32_t seed) {
  const std::uint64_t random = mixed(index * 0x9e3779b97f4a7c15U + seed);
  const float radius = sqrtf(-2 * logf((static_cast<float>(random >> 40) + 0.5F) * 0x1p-24F));
  return radius * cospif(static_cast<float>(random & 0xffffffU) * 0x1p-23F);
}

__device__ void put(float* key, float value) {
  *key = value;
}
__device__ void put(Bfloat16* key, float value) {
  key->bits = __bfloat16_as_ushort(__float2bfloat16_rn(value));
}
__device__ void put(Float16* key, float value) {
  key->bits = __half_as_ushort(__float2half_rn(value));
}

template <class T>
__global__ void fill_kernel(T* keys, std::int64_t entries, std::uint32_t seed) {
  for (std::int64_t i = blockIdx.x * std::int64_t{kThreads} + threadIdx.x; i < entries;
       i += std::int64_t{kBlocks} * kThreads)
    put(keys + i, normal_of(static_cast<std::uint64_t>(i), seed));
}

template <class T>
__global__ void hide_kernel(T* keys, std::int64_t entries, std::uint32_t of_four) {
  constexpr std::int64_t kKeys = kSectorBytes / sizeof(T);
  for (std::int64_t run = blockIdx.x * std::int64_t{kThreads} + threadIdx.x; run < kSampledSectors;
       run += std::int64_t{kBlocks} * kThreads) {
    const std::int64_t sector = sampled_sector(run, (entries + kKeys - 1) / kKeys);
    if (sector < 0 || mixed(static_cast<std::uint64_t>(run)) % 4 >= of_four) continue;
    for (std::int64_t i = sector * kKeys; i < min(entries, (sector + 1) * kKeys); ++i)
      put(keys + i, -fabsf(to_float(keys[i])));
  }
}

__device__ bool expected(const BatchTopkArguments& a, float key, std::int64_t row,
                         std::int64_t column) {
  const BatchTopkResult& result = *a.result;
  const bool at_or_before_cut =
      column < result.last_column || (column == result.last_column && row <= result.last_row);
  if (isnan(key)) {
    if (a.nan == NanPolicy::reject) return false;
    return !isnan(result.threshold) || at_or_before_cut;
  }
  if (isnan(result.threshold) || (a.positives_only && !(key > 0))) return false;
  return key > result.threshold || (key == result.threshold && at_or_before_cut);
}

template <class T>
__global__ void judge_kernel(BatchTopkArguments a, MaskJudgement* judgement) {
  MaskJudgement own;
  const std::int64_t words = mask_words_per_row(a.columns);
  for (std::int64_t i = blockIdx.x * std::int64_t{kThreads} + threadIdx.x; i < a.rows * words * 32;
       i += std::int64_t{kBlocks} * kThreads) {
    const std::int64_t row = i / (words * 32);
    const std::int64_t column = i % (words * 32);
    const bool bit = (a.mask[i / 32] >> (i % 32) & 1U) != 0;
    if (column >= a.columns) {
      own.padding += bit ? 1 : 0;
      continue;
    }
    float key = to_float(static_cast<const T*>(a.keys)[row * a.columns + column]);
    if (a.column_keys.source != KeySource::raw)
      key = __fmul_rn(__fsub_rn(key, a.column_keys.mean[column]), a.column_keys.scale[column]);
    own.selected += bit ? 1 : 0;
    own.unexpected += bit != expected(a, key, row, column) ? 1 : 0;
  }
  atomicAdd(&judgement->selected, own.selected);
  atomicAdd(&judgement->unexpected, own.unexpected);
  atomicAdd(&judgement->padding, own.padding);
}

// with(T{}) for the type that is meant.
template <class With>
void for_type(KeyType type, With with) {
  if (type == KeyType::bfloat16) with(Bfloat16{});
  if (type == KeyType::float16) with(Float16{});
  if (type == KeyType::float32) with(0.0F);
}

}  // namespace

void fill_normal(void* keys, KeyType type, std::int64_t entries, std::uint32_t seed,
                 CUstream_st* stream) {
  for_type(type, [&](auto example) {
    using T = decltype(example);
    fill_kernel<<<kBlocks, kThreads, 0, stream>>>(static_cast<T*>(keys), entries, seed);
  });
  cuda_check(cudaGetLastError(), "fill_kernel");
}

void hide_from_sample(void* keys, KeyType type, std::int64_t entries, int of_four,
                      CUstream_st* stream) {
  for_type(type, [&](auto example) {
    using T = decltype(example);
    hide_kernel<<<kBlocks, kThreads, 0, stream>>>(static_cast<T*>(keys), entries,
                                                  static_cast<std::uint32_t>(of_four));
  });
  cuda_check(cudaGetLastError(), "hide_kernel");
}

MaskJudgement judge_mask(const BatchTopkArguments& arguments, CUstream_st* stream) {
  const DeviceBuffer<MaskJudgement> judgement(std::vector<MaskJudgement>(1));
  for_type(arguments.key_type, [&](auto example) {
    using T = decltype(example);
    judge_kernel<T><<<kBlocks, kThreads, 0, stream>>>(arguments, judgement.data());
  });
  cuda_check(cudaGetLastError(), "judge_kernel");
  cuda_check(cudaStreamSynchronize(stream), "judge_kernel");
  return judgement.to_host().front();
}

}  // namespace stepscope::kernels
