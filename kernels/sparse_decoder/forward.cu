// SPDX-License-Identifier: Apache-2.0
// Outputs: a warp sums one piece of one token's output in registers.
#include "kernels/common/cuda_check.hpp"
#include "kernels/sparse_decoder/decoder_costs.hpp"
#include "kernels/sparse_decoder/token_walk.cuh"

namespace stepscope::kernels {
namespace {

using namespace sparse_decoder_device;

struct ForwardParameters {
  WalkParameters walk;
  const float* bias;
  LayerRows outputs;
};

// Over the groups of a warp: the first has the sum.
template <int kLanes, int kNumbers>
__device__ void sum_groups(float (&sums)[kNumbers]) {
#pragma unroll
  for (int distance = kWarpSize / 2; distance >= kLanes; distance /= 2)
#pragma unroll
    for (int i = 0; i < kNumbers; ++i)
      sums[i] += __shfl_down_sync(kAllLanes, sums[i], static_cast<unsigned>(distance));
}

template <class T, int kLanes>
__global__ void __launch_bounds__(kWalkThreads, kWalkBlocks)
    decoder_spmm_kernel(ForwardParameters p) {
  using Place = WalkPlace<T, kLanes>;
  constexpr int kNumbers = Place::kNumbers;
  const std::uint32_t item = walk_item();
  if (item >= p.walk.items) return;
  const Place place(p.walk, item);
  float sums[kNumbers] = {};
  walk_token<T, kLanes, true>(
      p.walk, place,
      [&](std::uint32_t, int, const uint4(&rows)[kRowsAhead], const float(&values)[kRowsAhead]) {
#pragma unroll
        for (int u = 0; u < kRowsAhead; ++u) {
          float numbers[kNumbers];
          unpack<T>(rows[u], numbers);
#pragma unroll
          for (int i = 0; i < kNumbers; ++i) sums[i] = fmaf(values[u], numbers[i], sums[i]);
        }
      });
  sum_groups<kLanes>(sums);
  if (place.group != 0 || !place.inside) return;
  if (p.bias != nullptr) {
    float bias[kNumbers];
    load_numbers(p.bias, KeyType::float32,
                 std::int64_t{place.of.target} * p.walk.model + place.column, bias);
#pragma unroll
    for (int i = 0; i < kNumbers; ++i) sums[i] += bias[i];
  }
  store_numbers(p.outputs.data, p.outputs.type,
                place.token * p.outputs.token_stride + place.of.target * p.outputs.layer_stride +
                    place.column,
                sums);
}

template <class T>
void enqueue(const ForwardParameters& p, int lanes, cudaStream_t stream) {
  const unsigned blocks = walk_blocks(p.walk);
  if (lanes == 8) decoder_spmm_kernel<T, 8><<<blocks, kWalkThreads, 0, stream>>>(p);
  if (lanes == 16) decoder_spmm_kernel<T, 16><<<blocks, kWalkThreads, 0, stream>>>(p);
  if (lanes == 32) decoder_spmm_kernel<T, 32><<<blocks, kWalkThreads, 0, stream>>>(p);
}

}  // namespace

Status sparse_decoder_forward(const SparseDecoderForward& arguments, CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  const SparseDecoderShape& shape = arguments.shape;
  if (shape.tokens * shape.layers * shape.model == 0) return {};
  const int lanes =
      lanes_of_piece(shape, arguments.by_token.capacity, arguments.weight_type, arguments.lanes);
  const ForwardParameters p{
      walk_parameters(shape, arguments.by_token, arguments.weights, arguments.weight_type, lanes),
      arguments.bias, arguments.outputs};
  if (arguments.weight_type == KeyType::bfloat16)
    enqueue<Bfloat16>(p, lanes, stream);
  else
    enqueue<float>(p, lanes, stream);
  return cuda_status(cudaGetLastError(), "decoder_spmm_kernel");
}

}  // namespace stepscope::kernels
