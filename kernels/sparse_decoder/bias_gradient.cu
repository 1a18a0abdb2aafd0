// SPDX-License-Identifier: Apache-2.0
// Gradients of biases: sums of the output gradients over tokens. A block has 32 columns of a layer;
// thread (row, quad) adds every 32nd token, from `row` on, in four columns; then the rows' sums are
// added in order.
#include "kernels/common/cuda_check.hpp"
#include "kernels/common/numbers.cuh"
#include "kernels/sparse_decoder/decoder_pieces.hpp"
#include "kernels/sparse_decoder/sparse_decoder.hpp"

namespace stepscope::kernels {
namespace {

constexpr int kBiasThreads = 256;
constexpr int kBiasColumns = 32;
constexpr int kQuadsOfRow = kBiasColumns / 4;
constexpr int kBiasRows = kBiasThreads / kQuadsOfRow;

struct BiasParameters {
  ConstLayerRows rows;
  std::int64_t tokens;
  std::uint32_t model, slabs;
  float* gradients;
};

template <class Gradient>
__global__ void __launch_bounds__(kBiasThreads) bias_gradient_kernel(BiasParameters p) {
  __shared__ float sums[kBiasRows][kBiasColumns];
  const std::uint32_t layer = blockIdx.x / p.slabs;
  const std::uint32_t slab = blockIdx.x - layer * p.slabs;
  const std::uint32_t row = threadIdx.x / kQuadsOfRow;
  const std::uint32_t in_slab = threadIdx.x % kQuadsOfRow * 4;
  const std::uint32_t column = slab * kBiasColumns + in_slab;
  const auto* const from = static_cast<const Gradient*>(p.rows.data) + layer * p.rows.layer_stride;
  float4 sum{0, 0, 0, 0};
  if (column < p.model)
#pragma unroll 4
    for (std::int64_t token = row; token < p.tokens; token += kBiasRows) {
      const float4 four = load_four(from + token * p.rows.token_stride + column);
      sum.x += four.x, sum.y += four.y, sum.z += four.z, sum.w += four.w;
    }
  sums[row][in_slab] = sum.x, sums[row][in_slab + 1] = sum.y;
  sums[row][in_slab + 2] = sum.z, sums[row][in_slab + 3] = sum.w;
  __syncthreads();
  const std::uint32_t own = slab * kBiasColumns + threadIdx.x;
  if (threadIdx.x >= kBiasColumns || own >= p.model) return;
  float total = 0;
  for (int i = 0; i < kBiasRows; ++i) total += sums[i][threadIdx.x];
  p.gradients[std::int64_t{layer} * p.model + own] = total;
}

}  // namespace

Status sparse_decoder_bias_gradient(const SparseDecoderBiasGradient& arguments,
                                    CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  const SparseDecoderShape& shape = arguments.shape;
  if (shape.layers * shape.model == 0) return {};
  const auto slabs = static_cast<std::uint32_t>(slabs_of(shape.model, kBiasColumns));
  const BiasParameters p{arguments.output_gradients, shape.tokens,
                         static_cast<std::uint32_t>(shape.model), slabs, arguments.gradients};
  const unsigned blocks = static_cast<unsigned>(shape.layers) * slabs;
  if (arguments.output_gradients.type == KeyType::bfloat16)
    bias_gradient_kernel<Bfloat16><<<blocks, kBiasThreads, 0, stream>>>(p);
  else
    bias_gradient_kernel<float><<<blocks, kBiasThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "bias_gradient_kernel");
}

}  // namespace stepscope::kernels
