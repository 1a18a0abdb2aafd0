// SPDX-License-Identifier: Apache-2.0
// A thread four columns of a block's tokens; then a thread a column adds up the blocks' sums, in
// double, and a block of its own the losses. In the workspace: a number a block in double, then
// [parts of the tokens, columns] in float.
#include "kernels/common/block_scan.cuh"
#include "kernels/common/cuda_check.hpp"
#include "kernels/common/numbers.cuh"
#include "kernels/sparse_decoder/squared_loss.hpp"

namespace stepscope::kernels {
namespace {

constexpr int kLossThreads = 256;
constexpr int kRowsAhead = 4;
constexpr int kPartsAhead = 8;
static_assert(kLossThreads * 4 == kLossColumns && kLossTokens % kRowsAhead == 0);

struct Loss {
  std::int64_t tokens, columns;
  std::uint32_t slabs, parts;
  const float* outputs;
  const float* targets;
  const float* deviations;
  float factor;
  float* gradients;
  float* bias_gradients;
  float* loss;
  double* losses;  // [parts, slabs]
  float* sums;     // [parts, columns]
};

__device__ float4 factors_of(const Loss& p, std::int64_t column) {
  const float4 d = load_four(p.deviations + column);
  const float twice = 2 * p.factor;
  return {__fmul_rn(d.x * d.x, twice), __fmul_rn(d.y * d.y, twice), __fmul_rn(d.z * d.z, twice),
          __fmul_rn(d.w * d.w, twice)};
}

// Returns one number's gradient, and adds it to the column's sum; adds twice its loss.
__device__ float gradient_of(float output, float target, float factor, float& sum, float& loss) {
  const float difference = output - target;
  const float gradient = __fmul_rn(difference, factor);
  sum += gradient;
  loss = fmaf(gradient, difference, loss);
  return gradient;
}

// Some rows of a thread's columns from this place on.
__device__ void add_rows(const Loss& p, std::int64_t place, std::int64_t rows,
                         const float4& factors, float4& sum, float& loss) {
  float4 outputs[kRowsAhead] = {};
  float4 targets[kRowsAhead] = {};
#pragma unroll
  for (int i = 0; i < kRowsAhead; ++i) {
    if (i >= rows) continue;
    outputs[i] = load_four(p.outputs + place + i * p.columns);
    targets[i] = load_four(p.targets + place + i * p.columns);
  }
#pragma unroll
  for (int i = 0; i < kRowsAhead; ++i) {
    if (i >= rows) continue;
    const float4 gradient{
        gradient_of(outputs[i].x, targets[i].x, factors.x, sum.x, loss),
        gradient_of(outputs[i].y, targets[i].y, factors.y, sum.y, loss),
        gradient_of(outputs[i].z, targets[i].z, factors.z, sum.z, loss),
        gradient_of(outputs[i].w, targets[i].w, factors.w, sum.w, loss)};
    *reinterpret_cast<float4*>(p.gradients + place + i * p.columns) = gradient;
  }
}

__global__ void __launch_bounds__(kLossThreads) loss_kernel(const __grid_constant__ Loss p) {
  const std::uint32_t part = blockIdx.x / p.slabs;
  const std::uint32_t slab = blockIdx.x - part * p.slabs;
  const std::int64_t column = slab * kLossColumns + threadIdx.x * 4;
  const std::int64_t first = part * kLossTokens;
  const std::int64_t end = min(first + kLossTokens, p.tokens);
  float loss = 0;
  if (column < p.columns) {
    const float4 factors = factors_of(p, column);
    float4 sum{0, 0, 0, 0};
    for (std::int64_t token = first; token < end; token += kRowsAhead)
      add_rows(p, token * p.columns + column, end - token, factors, sum, loss);
    *reinterpret_cast<float4*>(p.sums + part * p.columns + column) = sum;
  }
  double all = 0;
  (void)block_sum_above<kLossThreads>(static_cast<double>(loss), &all);
  if (threadIdx.x == 0) p.losses[blockIdx.x] = all;
}

// Called by the whole block.
__device__ void add_losses(const Loss& p) {
  double own = 0;
  for (std::uint32_t i = threadIdx.x; i < p.slabs * p.parts; i += kLossThreads) own += p.losses[i];
  double all = 0;
  (void)block_sum_above<kLossThreads>(own, &all);
  if (threadIdx.x == 0) *p.loss = static_cast<float>(all / 2);
}

// The last block has the losses, each other one some columns.
__global__ void __launch_bounds__(kLossThreads) add_parts_kernel(const __grid_constant__ Loss p) {
  if (blockIdx.x == gridDim.x - 1) return add_losses(p);
  const std::int64_t column = std::int64_t{blockIdx.x} * kLossThreads + threadIdx.x;
  if (column >= p.columns) return;
  double sum = 0;
#pragma unroll kPartsAhead
  for (std::uint32_t part = 0; part < p.parts; ++part)
    sum += static_cast<double>(p.sums[part * p.columns + column]);
  p.bias_gradients[column] = static_cast<float>(sum);
}

unsigned pieces(std::int64_t all, std::int64_t piece) {
  return static_cast<unsigned>((all + piece - 1) / piece);
}

}  // namespace

Status squared_loss(const SquaredLoss& a, CUstream_st* stream) {
  if (Status status = validate(a); !status.ok()) return status;
  Loss p{a.tokens,       a.columns, pieces(a.columns, kLossColumns), pieces(a.tokens, kLossTokens),
         a.outputs,      a.targets, a.deviations,                    static_cast<float>(a.factor),
         a.gradients,    a.bias_gradients,
         a.loss,         static_cast<double*>(a.workspace),          nullptr};
  p.sums = reinterpret_cast<float*>(p.losses + (std::int64_t{p.parts} * p.slabs + 1) / 2 * 2);
  if (p.parts * p.slabs > 0) loss_kernel<<<p.parts * p.slabs, kLossThreads, 0, stream>>>(p);
  add_parts_kernel<<<pieces(a.columns, kLossThreads) + 1, kLossThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "squared_loss");
}

}  // namespace stepscope::kernels
