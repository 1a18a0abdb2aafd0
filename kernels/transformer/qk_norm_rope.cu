// SPDX-License-Identifier: Apache-2.0
// A warp a head of a token. A lane holds pairs (i, i + half) of its head, i = lane, lane + 32, ...:
// the two numbers that RoPE turns against each other.
#include "kernels/common/cuda_check.hpp"
#include "kernels/transformer/transformer.hpp"
#include "kernels/transformer/vectors.cuh"

namespace stepscope::kernels {
namespace {

using namespace transformer_device;

constexpr int kHeadWarps = 8, kHeadThreads = kWarp * kHeadWarps;

// Where a warp's item is: heads of a token are those of query, of key, then of value.
struct Item {
  std::int64_t token, batch, place;  // place: in the sequence
  int head;

  __device__ Item(const HeadShape& shape, std::int64_t index, int heads)
      : token(index / heads),
        batch(token / shape.sequence),
        place(token % shape.sequence),
        head(static_cast<int>(index % heads)) {}
};

template <int kPairs>
struct Pairs {
  float first[kPairs] = {}, second[kPairs] = {};

  template <class T>
  __device__ void load(const T* head, int half) {
#pragma unroll
    for (int p = 0; p < kPairs; ++p) {
      const int i = static_cast<int>(threadIdx.x) % kWarp + kWarp * p;
      if (i >= half) continue;
      first[p] = to_float(head[i]);
      second[p] = to_float(head[i + half]);
    }
  }
  template <class T>
  __device__ void store(T* head, int half) const {
#pragma unroll
    for (int p = 0; p < kPairs; ++p) {
      const int i = static_cast<int>(threadIdx.x) % kWarp + kWarp * p;
      if (i >= half) continue;
      store_one(head + i, first[p]);
      store_one(head + i + half, second[p]);
    }
  }
  __device__ float squares() const {
    float sum = 0;
#pragma unroll
    for (int p = 0; p < kPairs; ++p) sum += first[p] * first[p] + second[p] * second[p];
    return warp_sum(sum);
  }
  // By the angle of each pair, or back.
  __device__ void turn(const Pairs& cosine_and_sine, float direction) {
#pragma unroll
    for (int p = 0; p < kPairs; ++p) {
      const float c = cosine_and_sine.first[p], s = direction * cosine_and_sine.second[p];
      const float a = first[p], b = second[p];
      first[p] = a * c - b * s;
      second[p] = b * c + a * s;
    }
  }
};

template <int kPairs>
__device__ Pairs<kPairs> angles_of(const QkNormRope& p, const Item& item, int half) {
  const std::int64_t place = p.tables_by_token ? item.token : item.place;
  Pairs<kPairs> out;
#pragma unroll
  for (int pair = 0; pair < kPairs; ++pair) {
    const int i = static_cast<int>(threadIdx.x) % kWarp + kWarp * pair;
    if (i >= half) continue;
    out.first[pair] = p.cosine[place * half + i];
    out.second[pair] = p.sine[place * half + i];
  }
  return out;
}

template <class T, int kPairs>
__global__ void __launch_bounds__(kHeadThreads) qk_norm_rope_kernel(QkNormRope p) {
  const HeadShape s = p.shape;
  const int heads = static_cast<int>(s.heads + s.kv_heads);
  const int size = static_cast<int>(s.head_size), half = size / 2;
  const std::int64_t items = s.batch * s.sequence * heads;
  const std::int64_t warps = std::int64_t{gridDim.x} * kHeadWarps;
  Pairs<kPairs> query_weight, key_weight;
  query_weight.load(static_cast<const T*>(p.query_weight), half);
  key_weight.load(static_cast<const T*>(p.key_weight), half);
  for (std::int64_t index = std::int64_t{blockIdx.x} * kHeadWarps + threadIdx.x / kWarp;
       index < items; index += warps) {
    const Item item(s, index, heads);
    const bool is_query = item.head < s.heads;
    Pairs<kPairs> x;
    x.load(static_cast<const T*>(p.packed) + (item.token * (heads + s.kv_heads) + item.head) * size,
           half);
    const float scale = rsqrtf(x.squares() / static_cast<float>(size) + p.epsilon);
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      x.first[pair] *= scale * (is_query ? query_weight.first[pair] : key_weight.first[pair]);
      x.second[pair] *= scale * (is_query ? query_weight.second[pair] : key_weight.second[pair]);
    }
    x.turn(angles_of<kPairs>(p, item, half), 1);
    T* out = is_query
                 ? static_cast<T*>(p.query) + (item.token * s.heads + item.head) * size
                 : static_cast<T*>(p.key) + (item.token * s.kv_heads + item.head - s.heads) * size;
    x.store(out, half);
  }
}

template <class T>
__device__ const T* head_of(const HeadGradient& gradient, const Item& item, std::int64_t head) {
  return static_cast<const T*>(gradient.data) + item.batch * gradient.batch_stride +
         item.place * gradient.token_stride + head * gradient.head_stride;
}

// Turned back, then as rms_norm's gradient; the weights' sums go by warp and then by block.
template <class T, int kPairs>
__global__ void __launch_bounds__(kHeadThreads) qk_norm_rope_gradient_kernel(QkNormRopeGradient p) {
  extern __shared__ float block_sums[];  // [2, head_size]
  const HeadShape s = p.forward.shape;
  const int heads = static_cast<int>(s.heads + 2 * s.kv_heads);
  const int size = static_cast<int>(s.head_size), half = size / 2;
  const std::int64_t items = s.batch * s.sequence * heads;
  const std::int64_t warps = std::int64_t{gridDim.x} * kHeadWarps;
  const int own = static_cast<int>(threadIdx.x) / kWarp,
            lane = static_cast<int>(threadIdx.x) % kWarp;
  Pairs<kPairs> weight[2], sums[2];
  weight[0].load(static_cast<const T*>(p.forward.query_weight), half);
  weight[1].load(static_cast<const T*>(p.forward.key_weight), half);
  for (std::int64_t index = std::int64_t{blockIdx.x} * kHeadWarps + own; index < items;
       index += warps) {
    const Item item(s, index, heads);
    const std::int64_t begin = index * size;
    T* out = static_cast<T*>(p.packed_gradient) + begin;
    Pairs<kPairs> g;
    if (item.head >= s.heads + s.kv_heads) {
      g.load(head_of<T>(p.value, item, item.head - s.heads - s.kv_heads), half);
      g.store(out, half);
      continue;
    }
    const bool is_key = item.head >= s.heads;
    g.load(is_key ? head_of<T>(p.key, item, item.head - s.heads)
                  : head_of<T>(p.query, item, item.head),
           half);
    g.turn(angles_of<kPairs>(p.forward, item, half), -1);
    Pairs<kPairs> x;
    x.load(static_cast<const T*>(p.forward.packed) + begin, half);
    const float scale = rsqrtf(x.squares() / static_cast<float>(size) + p.forward.epsilon);
    float product = 0;
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      const auto one = [&](float& number, float& gradient, float query_w, float key_w,
                           float& query_sum, float& key_sum) {
        number *= scale;
        // Both, so that neither needs an address: sums stay in registers.
        query_sum += is_key ? 0 : gradient * number;
        key_sum += is_key ? gradient * number : 0;
        gradient *= is_key ? key_w : query_w;
        product += gradient * number;
      };
      one(x.first[pair], g.first[pair], weight[0].first[pair], weight[1].first[pair],
          sums[0].first[pair], sums[1].first[pair]);
      one(x.second[pair], g.second[pair], weight[0].second[pair], weight[1].second[pair],
          sums[0].second[pair], sums[1].second[pair]);
    }
    const float mean = warp_sum(product) / static_cast<float>(size);
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      g.first[pair] = scale * (g.first[pair] - x.first[pair] * mean);
      g.second[pair] = scale * (g.second[pair] - x.second[pair] * mean);
    }
    g.store(out, half);
  }
  for (int warp = 0; warp < kHeadWarps; ++warp) {
    for (int kind = 0; warp == own && kind < 2; ++kind) {
#pragma unroll
      for (int pair = 0; pair < kPairs; ++pair) {
        const int i = lane + kWarp * pair;
        if (i >= half) continue;
        float* first = block_sums + kind * size + i;
        const float a = kind == 0 ? sums[0].first[pair] : sums[1].first[pair];
        const float b = kind == 0 ? sums[0].second[pair] : sums[1].second[pair];
        first[0] = warp == 0 ? a : first[0] + a;
        first[half] = warp == 0 ? b : first[half] + b;
      }
    }
    __syncthreads();
  }
  for (int i = static_cast<int>(threadIdx.x); i < 2 * size; i += kHeadThreads)
    p.weight_partials[std::int64_t{blockIdx.x} * 2 * size + i] = block_sums[i];
}

template <class T, int kPairs>
Status launch_pairs(const QkNormRope& p, cudaStream_t stream) {
  const std::int64_t items = p.shape.batch * p.shape.sequence * (p.shape.heads + p.shape.kv_heads);
  const std::int64_t blocks = (items + kHeadWarps - 1) / kHeadWarps;
  const auto grid = static_cast<unsigned>(blocks < 2112 ? blocks : 2112);
  qk_norm_rope_kernel<T, kPairs><<<grid, kHeadThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "qk_norm_rope_kernel");
}

template <class T, int kPairs>
Status launch_pairs(const QkNormRopeGradient& p, cudaStream_t stream) {
  const auto bytes = 2 * static_cast<std::size_t>(p.forward.shape.head_size) * sizeof(float);
  qk_norm_rope_gradient_kernel<T, kPairs><<<kTransformerPartials, kHeadThreads, bytes, stream>>>(p);
  return cuda_status(cudaGetLastError(), "qk_norm_rope_gradient_kernel");
}

template <class T, class Arguments>
Status launch_heads(const HeadShape& shape, const Arguments& p, cudaStream_t stream) {
  if (shape.head_size % 2 != 0 || shape.head_size > 256)
    return Status::bad_argument("head_size", "must be even and at most 256");
  const std::int64_t pairs = (shape.head_size / 2 + kWarp - 1) / kWarp;
  if (pairs <= 1) return launch_pairs<T, 1>(p, stream);
  if (pairs <= 2) return launch_pairs<T, 2>(p, stream);
  return launch_pairs<T, 4>(p, stream);
}

}  // namespace

Status qk_norm_rope(const QkNormRope& arguments, CUstream_st* stream) {
  return arguments.type == KeyType::bfloat16
             ? launch_heads<Bfloat16>(arguments.shape, arguments, stream)
             : launch_heads<float>(arguments.shape, arguments, stream);
}

Status qk_norm_rope_gradient(const QkNormRopeGradient& arguments, CUstream_st* stream) {
  const HeadShape& shape = arguments.forward.shape;
  return arguments.forward.type == KeyType::bfloat16
             ? launch_heads<Bfloat16>(shape, arguments, stream)
             : launch_heads<float>(shape, arguments, stream);
}

}  // namespace stepscope::kernels
