// SPDX-License-Identifier: Apache-2.0
// A row is held in the registers of kTeam warps: each number is read and written once. A lane holds
// kHeld vectors of kVector numbers; those beyond the row's end are 0. Wide rows have more warps and
// not more numbers a lane: a lane of 64 numbers leaves registers for few warps, and memory waits.
#include "kernels/common/cuda_check.hpp"
#include "kernels/transformer/transformer.hpp"
#include "kernels/transformer/vectors.cuh"

namespace stepscope::kernels {
namespace {

using namespace transformer_device;

constexpr int kNormWarps = 8, kNormThreads = kWarp * kNormWarps;

// The warps of a block that share a row. Each team has a barrier of its own: teams of a block may
// have one row more or less than others.
template <int kTeam>
struct Team {
  static constexpr int kThreads = kTeam * kWarp, kTeams = kNormWarps / kTeam;

  __device__ static int number() { return static_cast<int>(threadIdx.x) / kThreads; }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % kThreads; }

  // Every lane has it. `turn` alternates from call to call: a slow warp may still read the sums of
  // the call before.
  __device__ static float sum(float value, int turn) {
    value = warp_sum(value);
    if constexpr (kTeam > 1) {
      __shared__ float sums[2][kNormWarps];
      const int first = number() * kTeam;
      if (threadIdx.x % kWarp == 0) sums[turn][threadIdx.x / kWarp] = value;
      asm volatile("bar.sync %0, %1;" ::"r"(1 + number()), "n"(kThreads) : "memory");
      value = 0;
#pragma unroll
      for (int warp = 0; warp < kTeam; ++warp) value += sums[turn][first + warp];
    }
    return value;
  }
};

template <int kHeld, int kVector, int kTeam>
struct Row {
  float numbers[kHeld][kVector] = {};

  __device__ static std::int64_t column(int h) {
    return std::int64_t{Team<kTeam>::lane() + Team<kTeam>::kThreads * h} * kVector;
  }

  template <class T>
  __device__ void load(const T* row, std::int64_t width) {
#pragma unroll
    for (int h = 0; h < kHeld; ++h) {
      const std::int64_t at = column(h);
      if (at < width) load_vector<kVector>(row + at, numbers[h]);
    }
  }

  template <class T>
  __device__ void store(T* row, std::int64_t width) const {
#pragma unroll
    for (int h = 0; h < kHeld; ++h) {
      const std::int64_t at = column(h);
      if (at < width) store_vector<kVector>(row + at, numbers[h]);
    }
  }

  template <class Each>
  __device__ void for_each(Each each) {
#pragma unroll
    for (int h = 0; h < kHeld; ++h) {
#pragma unroll
      for (int v = 0; v < kVector; ++v) each(numbers[h][v], h, v);
    }
  }
};

template <class T, int kHeld, int kVector, int kTeam>
__global__ void __launch_bounds__(kNormThreads) rms_norm_kernel(RmsNorm p) {
  using Own = Team<kTeam>;
  const std::int64_t teams = std::int64_t{gridDim.x} * Own::kTeams;
  int turn = 0;
  Row<kHeld, kVector, kTeam> weight;
  weight.load(static_cast<const T*>(p.weight), p.width);
  for (std::int64_t row = std::int64_t{blockIdx.x} * Own::kTeams + Own::number(); row < p.rows;
       row += teams, turn ^= 1) {
    const std::int64_t begin = row * p.width;
    Row<kHeld, kVector, kTeam> x;
    x.load(static_cast<const T*>(p.residual) + begin, p.width);
    if (p.branch != nullptr) {
      Row<kHeld, kVector, kTeam> branch;
      branch.load(static_cast<const T*>(p.branch) + begin, p.width);
      x.for_each(
          [&](float& number, int h, int v) { number = rounded<T>(number + branch.numbers[h][v]); });
      x.store(static_cast<T*>(p.sum) + begin, p.width);
    }
    float squares = 0;
    x.for_each([&](float& number, int, int) { squares += number * number; });
    const float scale = rsqrtf(Own::sum(squares, turn) / static_cast<float>(p.width) + p.epsilon);
    x.for_each([&](float& number, int h, int v) { number *= scale * weight.numbers[h][v]; });
    x.store(static_cast<T*>(p.out) + begin, p.width);
    if (Own::lane() == 0) p.scales[row] = scale;
  }
}

// With x^ = x * scale: dx = scale * (g w - x^ mean(g w x^)) + what comes through the sum;
// dw = sum over rows of g x^, first by team, then over a block's teams in their order.
template <class T, int kHeld, int kVector, int kTeam>
__global__ void __launch_bounds__(kNormThreads) rms_norm_gradient_kernel(RmsNormGradient p) {
  extern __shared__ float block_sum[];  // [width]
  using Own = Team<kTeam>;
  const std::int64_t teams = std::int64_t{gridDim.x} * Own::kTeams;
  int turn = 0;
  Row<kHeld, kVector, kTeam> weight, weight_gradient;
  weight.load(static_cast<const T*>(p.weight), p.width);
  for (std::int64_t row = std::int64_t{blockIdx.x} * Own::kTeams + Own::number(); row < p.rows;
       row += teams, turn ^= 1) {
    const std::int64_t begin = row * p.width;
    const float scale = p.scales[row];
    Row<kHeld, kVector, kTeam> x, g;
    x.load(static_cast<const T*>(p.sum) + begin, p.width);
    g.load(static_cast<const T*>(p.out_gradient) + begin, p.width);
    float product = 0;
    x.for_each([&](float& number, int h, int v) {
      number *= scale;
      weight_gradient.numbers[h][v] += g.numbers[h][v] * number;
      g.numbers[h][v] *= weight.numbers[h][v];
      product += g.numbers[h][v] * number;
    });
    const float mean = Own::sum(product, turn) / static_cast<float>(p.width);
    g.for_each(
        [&](float& number, int h, int v) { number = scale * (number - x.numbers[h][v] * mean); });
    if (p.sum_gradient != nullptr) {
      x.load(static_cast<const T*>(p.sum_gradient) + begin, p.width);
      g.for_each([&](float& number, int h, int v) { number += x.numbers[h][v]; });
    }
    g.store(static_cast<T*>(p.gradient) + begin, p.width);
  }
  for (int team = 0; team < Own::kTeams; ++team) {
    if (team == Own::number()) {
      weight_gradient.for_each([&](float& number, int h, int v) {
        const std::int64_t at = weight_gradient.column(h) + v;
        if (at < p.width) block_sum[at] = team == 0 ? number : block_sum[at] + number;
      });
    }
    __syncthreads();
  }
  for (std::int64_t i = threadIdx.x; i < p.width; i += kNormThreads)
    p.weight_partials[std::int64_t{blockIdx.x} * p.width + i] = block_sum[i];
}

template <class T, int kHeld, int kVector, int kTeam>
Status launch_held(const RmsNorm& p, cudaStream_t stream) {
  constexpr int kTeams = Team<kTeam>::kTeams;
  const std::int64_t blocks = (p.rows + kTeams - 1) / kTeams;
  const auto grid = static_cast<unsigned>(blocks < 2112 ? blocks : 2112);
  rms_norm_kernel<T, kHeld, kVector, kTeam><<<grid, kNormThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "rms_norm_kernel");
}

template <class T, int kHeld, int kVector, int kTeam>
Status launch_held(const RmsNormGradient& p, cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(p.width) * sizeof(float);
  rms_norm_gradient_kernel<T, kHeld, kVector, kTeam>
      <<<kTransformerPartials, kNormThreads, bytes, stream>>>(p);
  return cuda_status(cudaGetLastError(), "rms_norm_gradient_kernel");
}

template <class T, class Arguments>
Status launch_norm(const Arguments& p, cudaStream_t stream) {
  constexpr int kVector = kNumbersOf16Bytes<T>;
  if (!fits_vectors<T>(p.width)) {
    if (p.width <= 8 * kWarp) return launch_held<T, 8, 1, 1>(p, stream);
    if (p.width <= 32 * kWarp) return launch_held<T, 32, 1, 1>(p, stream);
    return Status::bad_argument("width", "must be a multiple of 16 bytes above 1024");
  }
  const std::int64_t held = (p.width / kVector + kWarp - 1) / kWarp;
  if (held <= 1) return launch_held<T, 1, kVector, 1>(p, stream);
  if (held <= 2) return launch_held<T, 2, kVector, 1>(p, stream);
  if (held <= 3) return launch_held<T, 3, kVector, 1>(p, stream);
  if (held <= 4) return launch_held<T, 4, kVector, 1>(p, stream);
  if (held <= 6) return launch_held<T, 3, kVector, 2>(p, stream);
  if (held <= 8) return launch_held<T, 4, kVector, 2>(p, stream);
  if (held <= 16) return launch_held<T, 4, kVector, 4>(p, stream);
  return Status::bad_argument("width", "must be at most 4096 bfloat16 or 2048 float32");
}

}  // namespace

Status rms_norm(const RmsNorm& arguments, CUstream_st* stream) {
  if (arguments.rows == 0) return {};
  return arguments.type == KeyType::bfloat16 ? launch_norm<Bfloat16>(arguments, stream)
                                             : launch_norm<float>(arguments, stream);
}

Status rms_norm_gradient(const RmsNormGradient& arguments, CUstream_st* stream) {
  return arguments.type == KeyType::bfloat16 ? launch_norm<Bfloat16>(arguments, stream)
                                             : launch_norm<float>(arguments, stream);
}

}  // namespace stepscope::kernels
