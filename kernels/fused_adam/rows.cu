// SPDX-License-Identifier: Apache-2.0
// A gradient for some rows: a warp takes 256 columns of a row, eight a lane.
#include "kernels/common/cuda_check.hpp"
#include "kernels/fused_adam/adam_update.cuh"

namespace stepscope::kernels {
namespace {

using namespace fused_adam_device;

constexpr int kQuadsOfLane = 2;
constexpr std::uint32_t kPieceQuads = kQuadsOfLane * 32;
constexpr int kRowsBlocks = 4;

template <class Gradient>
struct RowsParameters {
  AdamState state;
  std::uint32_t row_quads, pieces, items;  // pieces a row, of all rows
  const std::int32_t* slots;
  Gradient* gradients;
  bool zero_gradients;
  FactorSource factors;
};

template <class Gradient, bool kLazy>
__global__ void __launch_bounds__(kAdamThreads, kRowsBlocks)
    adam_rows_kernel(RowsParameters<Gradient> p) {
  const AdamFactors& factors = factors_of_step(p.factors);
  for (std::uint32_t item = blockIdx.x * kAdamWarps + threadIdx.x / 32; item < p.items;
       item += gridDim.x * kAdamWarps) {
    const std::uint32_t row = item / p.pieces;
    const std::int32_t slot = p.slots[row];
    if (kLazy && slot < 0) continue;
    const std::uint32_t first = (item - row * p.pieces) * kPieceQuads + threadIdx.x % 32;
    Gradient* const row_gradients = p.gradients + std::int64_t{slot} * p.row_quads * 4;
    Quad own[kQuadsOfLane];
    float4 gradients[kQuadsOfLane] = {};
#pragma unroll
    for (int i = 0; i < kQuadsOfLane; ++i) {
      const std::uint32_t quad = first + i * 32;
      if (quad >= p.row_quads) continue;
      own[i].load(p.state, std::int64_t{row} * p.row_quads + quad);
      if (slot >= 0) gradients[i] = load_four(row_gradients + 4 * quad);
    }
#pragma unroll
    for (int i = 0; i < kQuadsOfLane; ++i) {
      const std::uint32_t quad = first + i * 32;
      if (quad >= p.row_quads) continue;
      own[i].update(factors, gradients[i]);
      own[i].store(p.state, std::int64_t{row} * p.row_quads + quad);
      if (p.zero_gradients && slot >= 0) store_four(row_gradients + 4 * quad, float4{0, 0, 0, 0});
    }
  }
}

template <class Gradient, bool kLazy>
Status enqueue(const FusedAdamRows& a, cudaStream_t stream) {
  const auto quads = static_cast<std::uint32_t>(a.row_length / 4);
  const std::uint32_t pieces = (quads + kPieceQuads - 1) / kPieceQuads;
  const std::uint32_t items = pieces * static_cast<std::uint32_t>(a.rows);
  unsigned blocks = 0;
  const Status status =
      resident_blocks(kRowsBlocks, std::uint64_t{items} / kAdamWarps + 1, &blocks);
  if (!status.ok()) return status;
  const RowsParameters<Gradient> p{a.state,          quads,
                                   pieces,           items,
                                   a.slots,          static_cast<Gradient*>(a.gradients),
                                   a.zero_gradients, factor_source(a.settings)};
  adam_rows_kernel<Gradient, kLazy><<<blocks, kAdamThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "adam_rows_kernel");
}

template <bool kLazy>
Status adam_rows(const FusedAdamRows& arguments, cudaStream_t stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  if (arguments.rows * arguments.row_length == 0) return {};
  if (arguments.gradient_type == KeyType::bfloat16)
    return enqueue<Bfloat16, kLazy>(arguments, stream);
  return enqueue<float, kLazy>(arguments, stream);
}

}  // namespace

Status fused_adam_rows(const FusedAdamRows& arguments, CUstream_st* stream) {
  return adam_rows<false>(arguments, stream);
}
Status lazy_adam_rows(const FusedAdamRows& arguments, CUstream_st* stream) {
  return adam_rows<true>(arguments, stream);
}

}  // namespace stepscope::kernels
