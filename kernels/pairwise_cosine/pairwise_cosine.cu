// SPDX-License-Identifier: Apache-2.0
// A block has a set. It reads the vectors from memory once, into shared memory where they fit
// there; then a warp takes a vector, or a thread some columns of all vectors, with barriers
// between.
#include "kernels/pairwise_cosine/pairwise_cosine.hpp"

#include <cfloat>

#include "kernels/common/block_scan.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/pairwise_cosine/packed_numbers.cuh"

namespace stepscope::kernels {
namespace {

using namespace pairwise_cosine_device;

constexpr int kMostVectors = static_cast<int>(kPairwiseMostCount);

struct Parameters {
  VectorSets sets;
  PairwiseCosine forward;           // parameters of the forward kernel
  PairwiseCosineGradient gradient;  // parameters of the gradient's kernel
  bool staged;                      // the vectors fit into shared memory
};

// Lengths of the vectors of a set, and which of them are not usable.
struct Lengths {
  float scale[kMostVectors];    // 1 / length, or 1 / the least length; NaN: not finite
  float deficit[kMostVectors];  // 1 - the squared length of the scaled vector
  bool clamped[kMostVectors];   // shorter than the least length
  bool bad[kMostVectors];
};

template <class T>
struct Set {
  const T* vectors;  // in shared memory where they are staged
  int used, width;
  std::int64_t first;  // vector of all
};

__device__ void keep_length(Lengths& lengths, int vector, float squares) {
  const float length = sqrtf(squares);
  const bool clamped = length < kPairwiseLeastLength;
  const float share = length / kPairwiseLeastLength;
  lengths.bad[vector] = !(squares <= FLT_MAX);
  lengths.clamped[vector] = clamped;
  lengths.deficit[vector] = clamped ? 1 - share * share : 0;
  lengths.scale[vector] = lengths.bad[vector] ? NAN : 1 / (clamped ? kPairwiseLeastLength : length);
}

// Reads the block's set and finds the lengths of its vectors.
template <class T, int kAtOnce, int kThreads>
__device__ Set<T> open_set(const Parameters& p, T* staged, Lengths& lengths) {
  const VectorSets& sets = p.sets;
  Set<T> set{};
  set.used = static_cast<int>(sets.lengths == nullptr ? sets.count : sets.lengths[blockIdx.x]);
  set.used = min(max(set.used, 0), static_cast<int>(sets.count));
  set.width = static_cast<int>(sets.width);
  set.first = std::int64_t{blockIdx.x} * sets.count;
  const T* const from = static_cast<const T*>(sets.vectors) + set.first * sets.width;
  set.vectors = p.staged ? staged : from;
  for (int i = static_cast<int>(warp_index()); i < set.used; i += kThreads / kWarpSize) {
    float squares = 0;
    for (int k = static_cast<int>(lane_index()) * kAtOnce; k < set.width;
         k += kWarpSize * kAtOnce) {
      const Packed<T, kAtOnce> packed(from + i * set.width + k);
      if (p.staged) packed.store(staged + i * set.width + k);
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) squares = fmaf(packed.at(n), packed.at(n), squares);
    }
    squares = warp_sum(squares);
    if (lane_index() == 0) keep_length(lengths, i, squares);
  }
  __syncthreads();
  return set;
}

// Sums of columns lie as a warp reads them: the first numbers of all pieces, then the second ones.
template <int kAtOnce>
__device__ int place_of(int piece, int number, int width) {
  return number * (width / kAtOnce) + piece;
}

// Adds up all used vectors, each times its factor, and multiplies the sum with `times`.
template <class T, int kAtOnce, int kThreads>
__device__ void add_columns(const Set<T>& set, const float* factors, float times, float* sums) {
  for (int piece = static_cast<int>(threadIdx.x); piece < set.width / kAtOnce; piece += kThreads) {
    float sum[kAtOnce] = {};
    for (int i = 0; i < set.used; ++i) {
      const Packed<T, kAtOnce> packed(set.vectors + i * set.width + piece * kAtOnce);
#pragma unroll
      for (int n = 0; n < kAtOnce; ++n) sum[n] = fmaf(packed.at(n), factors[i], sum[n]);
    }
#pragma unroll
    for (int n = 0; n < kAtOnce; ++n) sums[place_of<kAtOnce>(piece, n, set.width)] = sum[n] * times;
  }
}

// Calls each(place of the column's sum, unit) for this lane's numbers of a vector, and returns the
// warp's sum of what it gives.
template <class T, int kAtOnce, class Each>
__device__ float sum_over(const Set<T>& set, int vector, float scale, Each each) {
  float sum = 0;
  for (int piece = static_cast<int>(lane_index()); piece < set.width / kAtOnce;
       piece += kWarpSize) {
    const Packed<T, kAtOnce> packed(set.vectors + vector * set.width + piece * kAtOnce);
#pragma unroll
    for (int n = 0; n < kAtOnce; ++n)
      sum += each(place_of<kAtOnce>(piece, n, set.width), packed.at(n) * scale);
  }
  return warp_sum(sum);
}

__device__ float within(float distance) {  // NaN stays
  return distance < 0 ? 0 : distance > 2 ? 2 : distance;
}

// Is called by one warp. `squares` are those of the vectors' distances from their mean.
__device__ void write_distances(const PairwiseCosine& out, const Lengths& lengths,
                                const float* squares, int used, std::int64_t first) {
  const int lane = static_cast<int>(lane_index());
  float deficits = 0, spread = 0;
  std::uint32_t bad = 0;
  for (int i = lane; i < used; i += kWarpSize) {
    deficits += lengths.deficit[i];
    spread += squares[i];
    bad += lengths.bad[i] ? 1 : 0;
  }
  deficits = warp_sum(deficits), spread = warp_sum(spread), bad = warp_sum(bad);
  const auto n = static_cast<float>(used);
  for (int i = lane; i < out.sets.count && out.distances != nullptr; i += kWarpSize) {
    float distance = 0;
    if (i < used && used > 1)
      distance = within(
          ((n / 2 - 1) * lengths.deficit[i] + (deficits + spread + n * squares[i]) / 2) / (n - 1));
    out.distances[first + i] = distance;
  }
  if (lane != 0) return;
  out.scores[blockIdx.x] = used > 1 ? within(deficits / n + spread / (n - 1)) : 0;
  if (out.not_finite != nullptr) out.not_finite[blockIdx.x] = static_cast<std::int32_t>(bad);
}

template <class T, int kAtOnce, int kThreads>
__global__ void __launch_bounds__(kThreads) distances_kernel(const __grid_constant__ Parameters p) {
  extern __shared__ uint4 memory[];
  __shared__ Lengths lengths;
  __shared__ float squares[kMostVectors];
  float* const means = reinterpret_cast<float*>(memory);
  T* const staged = reinterpret_cast<T*>(memory + floats_in_pieces(p.sets.width));
  const auto set = open_set<T, kAtOnce, kThreads>(p, staged, lengths);
  add_columns<T, kAtOnce, kThreads>(set, lengths.scale, 1 / static_cast<float>(set.used), means);
  __syncthreads();
  for (int i = static_cast<int>(warp_index()); i < set.used; i += kThreads / kWarpSize) {
    const float sum = sum_over<T, kAtOnce>(set, i, lengths.scale[i], [&](int k, float unit) {
      const float off = unit - means[k];
      return off * off;
    });
    if (lane_index() == 0) squares[i] = sum;
  }
  __syncthreads();
  if (warp_index() == 0) write_distances(p.forward, lengths, squares, set.used, set.first);
}

// Keeps the gradient of each vector's mean distance, in which the score has its share.
__device__ void keep_factors(const PairwiseCosineGradient& p, const Lengths& lengths, int used,
                             std::int64_t first, float* of_mean, float* factors) {
  for (int i = static_cast<int>(threadIdx.x); i < used; i += static_cast<int>(blockDim.x)) {
    const float own = p.of_distances == nullptr ? 0 : p.of_distances[first + i];
    const float share =
        p.of_scores == nullptr ? 0 : p.of_scores[blockIdx.x] / static_cast<float>(used);
    of_mean[i] = own + share;
    factors[i] = (own + share) * lengths.scale[i];
  }
}

// Mean distances have, of unit vector i, the gradient -(c_i (S - u_i) + T - c_i u_i) / (N - 1),
// with S the sum of unit vectors and T their sum weighted by c.
template <class T, int kAtOnce, int kThreads>
__global__ void __launch_bounds__(kThreads) gradient_kernel(const __grid_constant__ Parameters p) {
  extern __shared__ uint4 memory[];
  __shared__ Lengths lengths;
  __shared__ float of_mean[kMostVectors], factors[kMostVectors];
  float* const sums = reinterpret_cast<float*>(memory);
  float* const weighted = reinterpret_cast<float*>(memory + floats_in_pieces(p.sets.width));
  T* const staged = reinterpret_cast<T*>(memory + 2 * floats_in_pieces(p.sets.width));
  const auto set = open_set<T, kAtOnce, kThreads>(p, staged, lengths);
  keep_factors(p.gradient, lengths, set.used, set.first, of_mean, factors);
  __syncthreads();
  add_columns<T, kAtOnce, kThreads>(set, lengths.scale, 1, sums);
  add_columns<T, kAtOnce, kThreads>(set, factors, 1, weighted);
  __syncthreads();
  T* const out = static_cast<T*>(p.gradient.gradients) + set.first * set.width;
  const float share = -1 / static_cast<float>(set.used - 1);
  for (int i = static_cast<int>(warp_index()); i < p.sets.count; i += kThreads / kWarpSize) {
    const bool learns = i < set.used && set.used > 1;
    const float c = learns ? of_mean[i] : 0, scale = learns ? lengths.scale[i] : 0;
    const auto of_unit = [&](int k, float unit) {
      return share * (c * (sums[k] - unit) + (weighted[k] - c * unit));
    };
    float along = 0;
    if (learns)
      along = sum_over<T, kAtOnce>(set, i, scale,
                                   [&](int k, float unit) { return of_unit(k, unit) * unit; });
    if (learns && lengths.clamped[i] && !isnan(along)) along = 0;
    for (int piece = static_cast<int>(lane_index()); piece < set.width / kAtOnce;
         piece += kWarpSize) {
      const int at = i * set.width + piece * kAtOnce;
      Packed<T, kAtOnce> packed;
      if (learns) {
        packed = Packed<T, kAtOnce>(set.vectors + at);
#pragma unroll
        for (int n = 0; n < kAtOnce; ++n) {
          const float unit = packed.at(n) * scale;
          const int place = place_of<kAtOnce>(piece, n, set.width);
          packed.set(n, (of_unit(place, unit) - along * unit) * scale);
        }
      }
      packed.store(out + at);
    }
  }
}

// Sets of more than 24 KB get the most threads that a block can have.
template <class T, int kAtOnce, class Arguments>
Status launch_on(Parameters p, int columns, std::size_t set_bytes, cudaStream_t stream) {
  constexpr bool kForward = std::is_same_v<Arguments, PairwiseCosine>;
  constexpr std::size_t kOwnBytes = 4096;  // the kernels' arrays of known size
  DeviceLimits device;
  if (Status s = cuda_status(DeviceLimits::of_current(&device), "cudaDeviceGetAttribute"); !s.ok())
    return s;
  std::size_t bytes = static_cast<std::size_t>(columns * floats_in_pieces(p.sets.width)) * 16;
  p.staged = bytes + set_bytes + kOwnBytes <= device.block_shared_bytes;
  if (p.staged) bytes += set_bytes;
  const bool large = set_bytes > 24 * 1024;
  const Launch launch{static_cast<unsigned>(p.sets.sets), large ? 1024 : 256, bytes, stream,
                      device};
  void (*kernel)(Parameters) = nullptr;
  if constexpr (kForward)
    kernel = large ? distances_kernel<T, kAtOnce, 1024> : distances_kernel<T, kAtOnce, 256>;
  else
    kernel = large ? gradient_kernel<T, kAtOnce, 1024> : gradient_kernel<T, kAtOnce, 256>;
  return cuda_status(launch.after_all(kernel, p), "pairwise_cosine");
}

template <class T, class Arguments>
Status launch_type(const Parameters& p, int columns, const void* out, cudaStream_t stream) {
  constexpr int kMost = 16 / sizeof(T);
  const auto bytes = static_cast<std::size_t>(p.sets.count * p.sets.width) * sizeof(T);
  const bool pieces = p.sets.width % kMost == 0 &&
                      reinterpret_cast<std::uintptr_t>(p.sets.vectors) % 16 == 0 &&
                      reinterpret_cast<std::uintptr_t>(out) % 16 == 0;
  return pieces ? launch_on<T, kMost, Arguments>(p, columns, bytes, stream)
                : launch_on<T, 1, Arguments>(p, columns, bytes, stream);
}

// A block holds `columns` sums of columns. `out` is written in the pieces that vectors are read in.
template <class Arguments>
Status launch(const Arguments& arguments, Parameters p, int columns, const void* out,
              cudaStream_t stream) {
  if (Status status = validate(arguments); !status.ok()) return status;
  p.sets = arguments.sets;
  if (p.sets.sets == 0) return {};
  switch (p.sets.type) {
    case KeyType::bfloat16:
      return launch_type<Bfloat16, Arguments>(p, columns, out, stream);
    case KeyType::float16:
      return launch_type<Float16, Arguments>(p, columns, out, stream);
    case KeyType::float32:
      break;
  }
  return launch_type<float, Arguments>(p, columns, out, stream);
}

}  // namespace

Status pairwise_cosine(const PairwiseCosine& arguments, CUstream_st* stream) {
  Parameters p{};
  p.forward = arguments;
  return launch(arguments, p, 1, nullptr, stream);
}

Status pairwise_cosine_gradient(const PairwiseCosineGradient& arguments, CUstream_st* stream) {
  Parameters p{};
  p.gradient = arguments;
  return launch(arguments, p, 2, arguments.gradients, stream);
}

}  // namespace stepscope::kernels
