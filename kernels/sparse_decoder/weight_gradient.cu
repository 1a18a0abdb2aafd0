// SPDX-License-Identifier: Apache-2.0
// Gradients of weights, written densely: a warp a piece of a vector.
#include "kernels/bitmask/grid.cuh"
#include "kernels/common/cuda_check.hpp"
#include "kernels/sparse_decoder/column_gradient.cuh"

namespace stepscope::kernels {
namespace {

using namespace sparse_decoder_device;

template <class Gradient, class Out>
__global__ void __launch_bounds__(kGridThreads)
    decoder_weight_gradient_kernel(ColumnParameters p, Out* gradients) {
  const std::uint32_t number = blockIdx.x * (kGridThreads / kWarpSize) + threadIdx.x / kWarpSize;
  if (number >= p.pieces.count()) return;
  const ColumnPlace place(p, number);
  const std::uint32_t first = entry_at(p.list, place.line);
  const std::uint32_t end = entry_at(p.list, place.line + 1);
  float4 sums[kQuads] = {};
  sum_columns<Gradient>(p, place, first, end, sums);
#pragma unroll
  for (int quad = 0; quad < kQuads; ++quad)
    if (place.inside[quad]) store_four(gradients + place.weight + quad * kQuadColumns, sums[quad]);
}

template <class Gradient>
void enqueue(const ColumnParameters& p, void* gradients, KeyType type, cudaStream_t stream) {
  constexpr std::uint32_t kWarps = kGridThreads / kWarpSize;
  const unsigned blocks = (p.pieces.count() + kWarps - 1) / kWarps;
  if (type == KeyType::float32)
    decoder_weight_gradient_kernel<Gradient>
        <<<blocks, kGridThreads, 0, stream>>>(p, static_cast<float*>(gradients));
  else
    decoder_weight_gradient_kernel<Gradient>
        <<<blocks, kGridThreads, 0, stream>>>(p, static_cast<Bfloat16*>(gradients));
}

}  // namespace

Status sparse_decoder_weight_gradient(const SparseDecoderWeightGradient& arguments,
                                      CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (arguments.shape.weights() == 0) return {};
  const ColumnParameters p = column_parameters(arguments.shape, arguments.by_feature,
                                               arguments.output_gradients, arguments.order);
  if (arguments.output_gradients.type == KeyType::bfloat16)
    enqueue<Bfloat16>(p, arguments.gradients, arguments.gradient_type, stream);
  else
    enqueue<float>(p, arguments.gradients, arguments.gradient_type, stream);
  return cuda_status(cudaGetLastError(), "decoder_weight_gradient_kernel");
}

}  // namespace stepscope::kernels
