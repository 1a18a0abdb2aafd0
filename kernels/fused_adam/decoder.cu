// SPDX-License-Identifier: Apache-2.0
// A sparse decoder's weights: a warp sums the gradient of 256 columns of a vector and updates them.
#include "kernels/common/cuda_check.hpp"
#include "kernels/fused_adam/adam_update.cuh"
#include "kernels/sparse_decoder/column_gradient.cuh"

namespace stepscope::kernels {
namespace {

using namespace fused_adam_device;
using namespace sparse_decoder_device;

constexpr int kDecoderBlocks = 3;

// Pieces of a warp, where silent features are updated beside other work: blocks that stayed to the
// end would hold the registers that kernels of another stream wait for, such as a sum over ranks.
constexpr std::uint32_t kSilentPieces = 8;

enum class Features { all, active, silent };

struct DecoderParameters {
  AdamState state;
  ColumnParameters columns;
  FactorSource factors;
};

// A lane a line of 128 bytes of the piece's parameters and moments: they are on their way to the L2
// cache while the gradient is summed, and take no registers.
__device__ void prefetch(const AdamState& state, const ColumnPlace& place) {
  constexpr std::uint32_t kLines = kFeatureColumns / 32;
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  const std::uint32_t line = lane % kLines;
  const float* const array = lane < kLines       ? state.parameters
                             : lane < 2 * kLines ? state.first_moments
                                                 : state.second_moments;
  if (lane < 3 * kLines && line * 32 < place.columns_left)
    prefetch_line(array + place.weight - lane * 4 + line * 32);
}

template <class Gradient, Features kFeatures>
__global__ void __launch_bounds__(kAdamThreads, kDecoderBlocks)
    adam_decoder_kernel(DecoderParameters p) {
  const AdamFactors& factors = factors_of_step(p.factors);
  const std::uint32_t count = p.columns.pieces.count();
  for (std::uint32_t number = blockIdx.x * kAdamWarps + threadIdx.x / kWarpSize; number < count;
       number += gridDim.x * kAdamWarps) {
    const ColumnPlace place(p.columns, number);
    const std::uint32_t first = entry_at(p.columns.list, place.line);
    const std::uint32_t end = entry_at(p.columns.list, place.line + 1);
    if (kFeatures == Features::active && first >= end) continue;
    if (kFeatures == Features::silent && first < end) continue;
    prefetch(p.state, place);
    float4 sums[kQuads] = {};
    if (kFeatures != Features::silent)
      sum_columns<Gradient>(p.columns, place, first, end, sums);
    const std::int64_t quad = place.weight / 4;
#pragma unroll
    for (int i = 0; i < kQuads; ++i) {
      if (!place.inside[i]) continue;
      Quad own;
      own.load(p.state, quad + i * (kQuadColumns / 4));
      own.update(factors, sums[i]);
      own.store(p.state, quad + i * (kQuadColumns / 4));
    }
  }
}

template <class Gradient, Features kFeatures>
Status enqueue(const FusedAdamDecoder& a, cudaStream_t stream) {
  const DecoderParameters p{a.state,
                            column_parameters(a.shape, a.by_feature, a.output_gradients, a.order),
                            factor_source(a.settings)};
  const std::uint32_t count = p.columns.pieces.count();
  unsigned blocks = count / (kAdamWarps * kSilentPieces) + 1;
  if (kFeatures != Features::silent) {
    const Status status =
        resident_blocks(kDecoderBlocks, std::uint64_t{count} / kAdamWarps + 1, &blocks);
    if (!status.ok()) return status;
  }
  adam_decoder_kernel<Gradient, kFeatures><<<blocks, kAdamThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "adam_decoder_kernel");
}

template <Features kFeatures>
Status adam_decoder(const FusedAdamDecoder& arguments, cudaStream_t stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (arguments.shape.weights() == 0) return {};
  if (arguments.output_gradients.type == KeyType::bfloat16)
    return enqueue<Bfloat16, kFeatures>(arguments, stream);
  return enqueue<float, kFeatures>(arguments, stream);
}

}  // namespace

Status fused_adam_decoder(const FusedAdamDecoder& arguments, CUstream_st* stream) {
  return adam_decoder<Features::all>(arguments, stream);
}
Status lazy_adam_decoder(const FusedAdamDecoder& arguments, CUstream_st* stream) {
  return adam_decoder<Features::active>(arguments, stream);
}
Status silent_adam_decoder(const FusedAdamDecoder& arguments, CUstream_st* stream) {
  if (Status status = validate_silent(arguments); !status.ok()) return status;
  if (arguments.shape.weights() == 0) return {};
  return enqueue<float, Features::silent>(arguments, stream);
}

}  // namespace stepscope::kernels
