// SPDX-License-Identifier: Apache-2.0
// A warp takes a block: 256 columns of a vector, of which lane l has 4 l .. 4 l + 3 and 128 + 4 l ..
// 128 + 4 l + 3 (column_gradient.cuh). Moments stay in registers until the block's greatest are known.
#include "kernels/coded_adam/coded_adam.hpp"
#include "kernels/common/cuda_check.hpp"
#include "kernels/fused_adam/adam_update.cuh"
#include "kernels/sparse_decoder/column_gradient.cuh"

namespace stepscope::kernels {
namespace {

using namespace fused_adam_device;
using namespace sparse_decoder_device;

constexpr int kCodedBlocks = 3;

// Pieces of a warp, where silent features are updated beside other work, as in
// kernels/fused_adam/decoder.cu.
constexpr std::uint32_t kSilentCodedPieces = 8;

enum class Coded { all, active, silent, dense };

struct CodedParameters {
  CodedAdamState state;
  ColumnParameters columns;
  const float* gradients;  // where they are in memory
  FactorSource factors;
};

// Both in shared memory, where they take no registers.
struct CodedFactors {
  const AdamFactors& adam;
  const std::uint32_t& key;
};

// All threads of a block call it together.
__device__ CodedFactors coded_factors(const FactorSource& source) {
  __shared__ std::uint32_t key;
  const std::int64_t* const step = source.settings.device_step;
  if (threadIdx.x == 0) key = rounding_key(step == nullptr ? source.settings.step : *step);
  return {factors_of_step(source), key};
}

__device__ float& number_of(float4& four, int i) {
  return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}

// Adam's update by the device's own root and reciprocal, each within 2 units in the last place: a
// kernel that rounds them as IEEE says is bound by its instructions. Moments are exact.
__device__ void nearly_adam_update(const AdamFactors& f, float gradient, float& parameter,
                                   float& first, float& second) {
  adam_moments(f, gradient, parameter, first, second);
  float root, inverse;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(second));
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(fmaf(root, f.second_scale, f.epsilon)));
  parameter = fmaf(-f.step_size, first * inverse, parameter * f.shrink);
}

__device__ std::uint32_t upper_bytes(const std::uint32_t (&words)[4]) {
  const std::uint32_t low = __byte_perm(words[0], words[1], 0x73);
  const std::uint32_t high = __byte_perm(words[2], words[3], 0x73);
  return __byte_perm(low, high, 0x5410);
}

// Four parameters, their codes a byte each, and their moments.
struct CodedQuad {
  float4 parameters = {};
  std::uint32_t first_codes = 0, second_codes = 0;
  float4 first, second;

  __device__ void load(const CodedAdamState& state, std::int64_t weight) {
    parameters = __ldcs(reinterpret_cast<const float4*>(state.parameters + weight));
    first_codes = __ldcs(reinterpret_cast<const std::uint32_t*>(state.first_codes + weight));
    second_codes = __ldcs(reinterpret_cast<const std::uint32_t*>(state.second_codes + weight));
  }
  __device__ void update(const AdamFactors& f, float4 gradients, const MomentScales& scales) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      number_of(first, i) = first_moment(first_codes >> 8 * i & 0xffU, scales.first);
      number_of(second, i) = second_moment(second_codes >> 8 * i & 0xffU, scales.second);
      nearly_adam_update(f, number_of(gradients, i), number_of(parameters, i),
                         number_of(first, i), number_of(second, i));
    }
  }
  __device__ void add_greatest(float& of_first, float& of_second) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      of_first = fmaxf(of_first, fabsf(number_of(first, i)));
      of_second = fmaxf(of_second, number_of(second, i));
    }
  }
  __device__ void encode(const MomentScales& per, std::uint32_t key, std::uint32_t index) {
    std::uint32_t first_words[4], second_words[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t chances = rounding_chances(key, index + i);
      first_words[i] = first_code_word(number_of(first, i), per.first, chances);
      second_words[i] = second_code_word(number_of(second, i), per.second, chances);
    }
    first_codes = upper_bytes(first_words);
    second_codes = upper_bytes(second_words);
  }
  __device__ void store_parameters(const CodedAdamState& state, std::int64_t weight) const {
    __stcs(reinterpret_cast<float4*>(state.parameters + weight), parameters);
  }
  __device__ void store_codes(const CodedAdamState& state, std::int64_t weight) const {
    __stcs(reinterpret_cast<std::uint32_t*>(state.first_codes + weight), first_codes);
    __stcs(reinterpret_cast<std::uint32_t*>(state.second_codes + weight), second_codes);
  }
};

__device__ MomentScales load_scales(const CodedAdamState& state, std::uint32_t piece) {
  const float2 two = __ldcg(reinterpret_cast<const float2*>(state.scales + piece));
  return {two.x, two.y};
}
// All lanes call it together, when each has the scales before.
__device__ void store_scales(const CodedAdamState& state, std::uint32_t piece,
                             const MomentScales& scales) {
  __syncwarp();
  if (threadIdx.x % kWarpSize == 0)
    *reinterpret_cast<float2*>(state.scales + piece) = float2{scales.first, scales.second};
}

// Numbers that are 0 or more are ordered as their bits.
__device__ float greatest_of_warp(float number) {
  return float_of_bits(__reduce_max_sync(kAllLanes, bits_of(number)));
}

// Brings the block's lines into the L2 cache while its gradient is summed: a lane a line of 128
// bytes, 8 of parameters and 2 of each kind of codes.
__device__ void prefetch(const CodedAdamState& state, const ColumnPlace& place) {
  constexpr std::uint32_t kLines = kFeatureColumns / 32, kCodeLines = kFeatureColumns / 128;
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  const std::int64_t begin = place.weight - lane * 4;
  if (lane < kLines) {
    if (lane * 32 < place.columns_left) prefetch_line(state.parameters + begin + lane * 32);
  } else if (lane < kLines + 2 * kCodeLines) {
    const std::uint32_t line = (lane - kLines) % kCodeLines;
    const std::uint8_t* const codes =
        lane < kLines + kCodeLines ? state.first_codes : state.second_codes;
    if (line * 128 < place.columns_left) prefetch_line(codes + begin + line * 128);
  }
}

// A block whose features had no gradient.
__device__ void update_silent(const CodedAdamState& state, const ColumnPlace& place,
                              const CodedFactors& factors) {
  const MomentScales scales = load_scales(state, place.piece);
  CodedQuad own[kQuads];
#pragma unroll
  for (int i = 0; i < kQuads; ++i)
    if (place.inside[i]) own[i].load(state, place.weight + i * kQuadColumns);
#pragma unroll
  for (int i = 0; i < kQuads; ++i) {
    if (!place.inside[i]) continue;
    own[i].update(factors.adam, float4{}, scales);
    own[i].store_parameters(state, place.weight + i * kQuadColumns);
  }
  store_scales(state, place.piece,
               decayed(scales, 1 - factors.adam.to_first, factors.adam.beta2));
}

__device__ void update_block(const CodedAdamState& state, const ColumnPlace& place,
                             const CodedFactors& factors, const float4 (&gradients)[kQuads]) {
  const MomentScales before = load_scales(state, place.piece);
  CodedQuad own[kQuads];
  float greatest_first = 0, greatest_second = 0;
#pragma unroll
  for (int i = 0; i < kQuads; ++i)
    if (place.inside[i]) own[i].load(state, place.weight + i * kQuadColumns);
#pragma unroll
  for (int i = 0; i < kQuads; ++i) {
    own[i].update(factors.adam, gradients[i], before);
    own[i].add_greatest(greatest_first, greatest_second);
    if (place.inside[i]) own[i].store_parameters(state, place.weight + i * kQuadColumns);
  }
  const MomentScales scales =
      scales_of(greatest_of_warp(greatest_first), greatest_of_warp(greatest_second));
  const MomentScales per = per_scale(scales);
#pragma unroll
  for (int i = 0; i < kQuads; ++i) {
    const std::int64_t weight = place.weight + i * kQuadColumns;
    own[i].encode(per, factors.key, static_cast<std::uint32_t>(weight));
    if (place.inside[i]) own[i].store_codes(state, weight);
  }
  store_scales(state, place.piece, scales);
}

template <class Gradient, Coded kCoded>
__global__ void __launch_bounds__(kAdamThreads, kCodedBlocks)
    coded_adam_kernel(CodedParameters p) {
  const CodedFactors factors = coded_factors(p.factors);
  const std::uint32_t count = p.columns.pieces.count();
  for (std::uint32_t number = blockIdx.x * kAdamWarps + threadIdx.x / kWarpSize; number < count;
       number += gridDim.x * kAdamWarps) {
    const ColumnPlace place(p.columns, number);
    float4 sums[kQuads] = {};
    if constexpr (kCoded == Coded::dense) {
#pragma unroll
      for (int i = 0; i < kQuads; ++i)
        if (place.inside[i]) sums[i] = load_four(p.gradients + place.weight + i * kQuadColumns);
    } else {
      const std::uint32_t first = entry_at(p.columns.list, place.line);
      const std::uint32_t end = entry_at(p.columns.list, place.line + 1);
      if (first >= end) {
        if (kCoded != Coded::active) update_silent(p.state, place, factors);
        continue;
      }
      if (kCoded == Coded::silent) continue;
      prefetch(p.state, place);
      sum_columns<Gradient>(p.columns, place, first, end, sums);
    }
    if constexpr (kCoded != Coded::silent) update_block(p.state, place, factors, sums);
  }
}

template <class Gradient, Coded kCoded>
Status enqueue(const CodedParameters& p, cudaStream_t stream) {
  const std::uint32_t count = p.columns.pieces.count();
  unsigned blocks = count / (kAdamWarps * kSilentCodedPieces) + 1;
  if (kCoded != Coded::silent) {
    const Status status =
        resident_blocks(kCodedBlocks, std::uint64_t{count} / kAdamWarps + 1, &blocks);
    if (!status.ok()) return status;
  }
  coded_adam_kernel<Gradient, kCoded><<<blocks, kAdamThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "coded_adam_kernel");
}

CodedParameters parameters_of(const CodedAdamDecoder& a) {
  return {a.state, column_parameters(a.shape, a.by_feature, a.output_gradients, a.order), nullptr,
          factor_source(a.settings)};
}

template <Coded kCoded>
Status coded_decoder(const CodedAdamDecoder& arguments, cudaStream_t stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (arguments.shape.weights() == 0) return {};
  const CodedParameters p = parameters_of(arguments);
  if (arguments.output_gradients.type == KeyType::bfloat16)
    return enqueue<Bfloat16, kCoded>(p, stream);
  return enqueue<float, kCoded>(p, stream);
}

}  // namespace

Status coded_adam(const CodedAdam& arguments, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (arguments.vectors * arguments.length == 0) return {};
  const SparseDecoderShape shape{1, arguments.vectors, arguments.length, 0};
  return enqueue<float, Coded::dense>(
      {arguments.state, column_parameters(shape, {}, {}, FeatureOrder::in_memory),
       arguments.gradients, factor_source(arguments.settings)},
      stream);
}
Status coded_adam_decoder(const CodedAdamDecoder& arguments, CUstream_st* stream) {
  return coded_decoder<Coded::all>(arguments, stream);
}
Status active_coded_adam_decoder(const CodedAdamDecoder& arguments, CUstream_st* stream) {
  return coded_decoder<Coded::active>(arguments, stream);
}
Status silent_coded_adam_decoder(const CodedAdamDecoder& arguments, CUstream_st* stream) {
  if (Status status = validate_silent(arguments); !status.ok()) return status;
  if (arguments.shape.weights() == 0) return {};
  return enqueue<float, Coded::silent>(parameters_of(arguments), stream);
}

}  // namespace stepscope::kernels
