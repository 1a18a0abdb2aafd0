// SPDX-License-Identifier: Apache-2.0
// Gradients of activations: a warp has a piece of one token's output gradients in registers, and
// writes the part of each dot product that the piece makes. A second kernel sums the parts of each
// entry, targets and columns rising.
#include "kernels/bitmask/grid.cuh"
#include "kernels/common/cuda_check.hpp"
#include "kernels/sparse_decoder/decoder_costs.hpp"
#include "kernels/sparse_decoder/token_walk.cuh"

namespace stepscope::kernels {
namespace {

using namespace sparse_decoder_device;

struct GradientParameters {
  WalkParameters walk;
  ConstLayerRows output_gradients;
  float* parts;  // [pieces][capacity]
  void* gradients;
  KeyType gradient_type;
};

// Sums each of four rows over a group's lanes: the lane whose number within the group is
// u * kLanes / 4 has row u's. Each step halves the rows that a lane holds, then the rest is summed.
template <int kLanes>
__device__ float sum_rows(float (&dots)[kRowsAhead]) {
  static_assert(kRowsAhead == 4 && kLanes >= 8);
  const bool upper_half = (threadIdx.x & (kLanes / 2)) != 0;
  const bool upper_quarter = (threadIdx.x & (kLanes / 4)) != 0;
  float two[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const float kept = upper_half ? dots[i + 2] : dots[i];
    const float given = upper_half ? dots[i] : dots[i + 2];
    two[i] = kept + __shfl_xor_sync(kAllLanes, given, kLanes / 2);
  }
  const float given = upper_quarter ? two[0] : two[1];
  float sum = (upper_quarter ? two[1] : two[0]) + __shfl_xor_sync(kAllLanes, given, kLanes / 4);
#pragma unroll
  for (int distance = kLanes / 8; distance > 0; distance /= 2)
    sum += __shfl_xor_sync(kAllLanes, sum, distance);
  return sum;
}

template <class T, int kLanes>
__global__ void __launch_bounds__(kWalkThreads, kWalkBlocks)
    decoder_sddmm_kernel(GradientParameters p) {
  using Place = WalkPlace<T, kLanes>;
  constexpr int kNumbers = Place::kNumbers;
  constexpr int kGroups = kWarpSize / kLanes;
  const std::uint32_t item = walk_item();
  if (item >= p.walk.items) return;
  const Place place(p.walk, item);
  float own[kNumbers] = {};
  if (place.inside)
    load_numbers(p.output_gradients.data, p.output_gradients.type,
                 place.token * p.output_gradients.token_stride +
                     place.of.target * p.output_gradients.layer_stride + place.column,
                 own);
  float* const parts = p.parts + place.piece * p.walk.list.capacity;
  const auto in_group = static_cast<int>(threadIdx.x % kLanes);
  const int row = in_group / (kLanes / kRowsAhead) * kGroups + static_cast<int>(place.group);
  const bool writes = in_group % (kLanes / kRowsAhead) == 0;
  walk_token<T, kLanes, false>(p.walk, place,
                               [&](std::uint32_t entry, int count, const uint4(&rows)[kRowsAhead],
                                   const float(&)[kRowsAhead]) {
                                 float dots[kRowsAhead] = {};
#pragma unroll
                                 for (int u = 0; u < kRowsAhead; ++u) {
                                   float numbers[kNumbers];
                                   unpack<T>(rows[u], numbers);
#pragma unroll
                                   for (int i = 0; i < kNumbers; ++i)
                                     dots[u] = fmaf(own[i], numbers[i], dots[u]);
                                 }
                                 const float dot = sum_rows<kLanes>(dots);
                                 if (writes && row < count)
                                   parts[entry + static_cast<std::uint32_t>(row)] = dot;
                               });
}

__global__ void __launch_bounds__(kGridThreads) decoder_sddmm_sum_kernel(GradientParameters p) {
  const WalkParameters& walk = p.walk;
  const std::uint32_t entries = entry_at(walk.list, walk.tokens);
  for (std::int64_t entry = first_of_grid(); entry < entries; entry += size_of_grid()) {
    const std::uint32_t source =
        static_cast<std::uint32_t>(walk.list.indices[entry]) / walk.features;
    float sum = 0;
    for (std::uint32_t target = source; target < walk.layers; ++target)
      for (std::uint32_t slab = 0; slab < walk.slabs; ++slab) {
        const std::uint32_t piece = piece_of(target, slab, walk.layers, walk.slabs);
        sum += __ldcs(p.parts + piece * walk.list.capacity + entry);
      }
    if (p.gradient_type == KeyType::float32)
      static_cast<float*>(p.gradients)[entry] = sum;
    else
      static_cast<Bfloat16*>(p.gradients)[entry] = to_bfloat16(sum);
  }
}

template <class T>
void enqueue(const GradientParameters& p, int lanes, cudaStream_t stream) {
  const unsigned blocks = walk_blocks(p.walk);
  if (lanes == 8) decoder_sddmm_kernel<T, 8><<<blocks, kWalkThreads, 0, stream>>>(p);
  if (lanes == 16) decoder_sddmm_kernel<T, 16><<<blocks, kWalkThreads, 0, stream>>>(p);
  if (lanes == 32) decoder_sddmm_kernel<T, 32><<<blocks, kWalkThreads, 0, stream>>>(p);
  decoder_sddmm_sum_kernel<<<grid_for(p.walk.list.capacity), kGridThreads, 0, stream>>>(p);
}

}  // namespace

Status sparse_decoder_activation_gradient(const SparseDecoderActivationGradient& arguments,
                                          CUstream_st* stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  const SparseDecoderShape& shape = arguments.shape;
  const std::int64_t capacity = arguments.by_token.capacity;
  if (shape.tokens * shape.weights() * capacity == 0) return {};
  const int lanes = lanes_of_piece(shape, capacity, arguments.weight_type, arguments.lanes);
  const GradientParameters p{
      walk_parameters(shape, arguments.by_token, arguments.weights, arguments.weight_type, lanes),
      arguments.output_gradients, static_cast<float*>(arguments.workspace), arguments.gradients,
      arguments.gradient_type};
  if (arguments.weight_type == KeyType::bfloat16)
    enqueue<Bfloat16>(p, lanes, stream);
  else
    enqueue<float>(p, lanes, stream);
  return cuda_status(cudaGetLastError(), "decoder_sddmm_kernel");
}

}  // namespace stepscope::kernels
