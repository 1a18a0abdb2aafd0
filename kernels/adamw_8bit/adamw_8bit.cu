// SPDX-License-Identifier: Apache-2.0
// A warp a block of 256: a lane holds 8 neighbours in registers, so that the block's scales are
// shuffles and a full block is read and written 8 to 32 bytes a lane. Tables lie in shared memory.
#include "kernels/adamw_8bit/adamw_8bit.hpp"
#include "kernels/adamw_8bit/update.hpp"
#include "kernels/common/cuda_check.hpp"
#include "kernels/common/float_bits.hpp"
#include "kernels/common/numbers.cuh"

namespace stepscope::kernels {
namespace {

constexpr int kThreads8Bit = 256, kLanes = 32, kOwn = static_cast<int>(kQuantisedBlock) / kLanes;

__device__ float warp_greatest(float number) {
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    number = fmaxf(number, __shfl_xor_sync(0xffffffffU, number, offset));
  return number;
}

// A lane's 8 of a block that is whole.
__device__ void load_eight(const float* from, float (&to)[kOwn]) {
  const float4 a = reinterpret_cast<const float4*>(from)[0];
  const float4 b = reinterpret_cast<const float4*>(from)[1];
  to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = a.w;
  to[4] = b.x, to[5] = b.y, to[6] = b.z, to[7] = b.w;
}
__device__ void load_eight(const Bfloat16* from, float (&to)[kOwn]) {
  unpack<Bfloat16>(*reinterpret_cast<const uint4*>(from), to);
}
__device__ void store_eight(float* to, const float (&from)[kOwn]) {
  reinterpret_cast<float4*>(to)[0] = float4{from[0], from[1], from[2], from[3]};
  reinterpret_cast<float4*>(to)[1] = float4{from[4], from[5], from[6], from[7]};
}
__device__ void store_eight(Bfloat16* to, const float (&from)[kOwn]) {
  *reinterpret_cast<uint4*>(to) =
      uint4{two_bfloat16(from[0], from[1]), two_bfloat16(from[2], from[3]),
            two_bfloat16(from[4], from[5]), two_bfloat16(from[6], from[7])};
}

template <class Gradient>
__device__ void update_block(const Adamw8Bit& p, const Adamw8BitFactors& factors,
                             const float* signed_table, const float* unsigned_table,
                             std::int64_t block) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t begin = block * kQuantisedBlock + lane * kOwn;
  const bool whole = (block + 1) * kQuantisedBlock <= p.count;
  const auto* gradients = static_cast<const Gradient*>(p.gradients);
  float parameter[kOwn] = {}, gradient[kOwn] = {}, mean[kOwn], square[kOwn];
  alignas(8) std::uint8_t codes[kOwn] = {}, square_codes[kOwn] = {};
  if (whole) {
    load_eight(p.parameters + begin, parameter);
    load_eight(gradients + begin, gradient);
    *reinterpret_cast<uint2*>(codes) = *reinterpret_cast<const uint2*>(p.mean_codes + begin);
    *reinterpret_cast<uint2*>(square_codes) =
        *reinterpret_cast<const uint2*>(p.square_codes + begin);
  } else {
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      if (begin + i >= p.count) continue;
      parameter[i] = p.parameters[begin + i];
      gradient[i] = to_float(gradients[begin + i]);
      codes[i] = p.mean_codes[begin + i];
      square_codes[i] = p.square_codes[begin + i];
    }
  }
  const float mean_scale = p.mean_scales[block], square_scale = p.square_scales[block];
  float greatest = 0, greatest_square = 0;
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    const bool there = begin + i < p.count;
    mean[i] = there ? signed_table[codes[i]] * mean_scale : 0;
    square[i] = there ? unsigned_table[square_codes[i]] * square_scale : 0;
    update_one(p, factors, gradient[i], parameter[i], mean[i], square[i]);
    greatest = fmaxf(greatest, fabsf(mean[i]));
    greatest_square = fmaxf(greatest_square, square[i]);
  }
  greatest = warp_greatest(greatest);
  greatest_square = warp_greatest(greatest_square);
  const float per_mean = greatest > 0 ? 1 / greatest : 0;
  const float per_square = greatest_square > 0 ? 1 / greatest_square : 0;
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    codes[i] = nearest_code(signed_table, mean[i] * per_mean);
    square_codes[i] = nearest_code(unsigned_table, square[i] * per_square);
  }
  if (lane == 0) {
    p.mean_scales[block] = greatest;
    p.square_scales[block] = greatest_square;
  }
  if (whole) {
    store_eight(p.parameters + begin, parameter);
    if (p.copy != nullptr) store_eight(p.copy + begin, parameter);
    *reinterpret_cast<uint2*>(p.mean_codes + begin) = *reinterpret_cast<const uint2*>(codes);
    *reinterpret_cast<uint2*>(p.square_codes + begin) =
        *reinterpret_cast<const uint2*>(square_codes);
    return;
  }
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    if (begin + i >= p.count) continue;
    p.parameters[begin + i] = parameter[i];
    if (p.copy != nullptr) p.copy[begin + i] = to_bfloat16(parameter[i]);
    p.mean_codes[begin + i] = codes[i];
    p.square_codes[begin + i] = square_codes[i];
  }
}

template <class Gradient>
__global__ void __launch_bounds__(kThreads8Bit) adamw_8bit_kernel(Adamw8Bit p) {
  __shared__ float tables[2 * kCodes];
  for (int i = static_cast<int>(threadIdx.x); i < 2 * kCodes; i += kThreads8Bit)
    tables[i] = p.tables[i];
  __syncthreads();
  const Adamw8BitFactors factors = factors_of(p);
  constexpr int kWarps = kThreads8Bit / kLanes;
  const std::int64_t blocks = p.blocks(), step = std::int64_t{gridDim.x} * kWarps;
  for (std::int64_t block = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / kLanes;
       block < blocks; block += step)
    update_block<Gradient>(p, factors, tables, tables + kCodes, block);
}

}  // namespace

Status adamw_8bit(const Adamw8Bit& arguments, CUstream_st* stream) {
  if (Status good = validate(arguments); !good.ok()) return good;
  if (arguments.count == 0) return {};
  constexpr std::int64_t kWarps = kThreads8Bit / kLanes, kMostBlocks = 2112;
  const std::int64_t wanted = (arguments.blocks() + kWarps - 1) / kWarps;
  const auto grid = static_cast<unsigned>(wanted < kMostBlocks ? wanted : kMostBlocks);
  if (arguments.gradient_type == KeyType::bfloat16)
    adamw_8bit_kernel<Bfloat16><<<grid, kThreads8Bit, 0, stream>>>(arguments);
  else
    adamw_8bit_kernel<float><<<grid, kThreads8Bit, 0, stream>>>(arguments);
  return cuda_status(cudaGetLastError(), "adamw_8bit_kernel");
}

}  // namespace stepscope::kernels
