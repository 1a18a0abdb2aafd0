// SPDX-License-Identifier: Apache-2.0
// kLanes neighbouring lanes of a warp hold a head of a token, so a warp has several. A lane holds
// kPairs neighbouring pairs (i, i + half) of its head: the two numbers that RoPE turns against each
// other. Where kWhole, each run of kPairs is one access; with a warp a head, heads of 64 went at
// 1.1 TB/s on an H100. Lanes go from head to head without a division: of 64 bits, three of them
// cost more than all else.
#include "kernels/common/cuda_check.hpp"
#include "kernels/transformer/transformer.hpp"
#include "kernels/transformer/vectors.cuh"

namespace stepscope::kernels {
namespace {

using namespace transformer_device;

constexpr int kHeadWarps = 8, kHeadThreads = kWarp * kHeadWarps, kPairs = 4;

// Sums over the lanes of a head, each of which gets the result.
template <int kLanes>
__device__ float head_sum(float number) {
  const unsigned first = threadIdx.x % kWarp / kLanes * kLanes;
  const unsigned lanes = (0xffffffffU >> (kWarp - kLanes)) << first;
#pragma unroll
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    number += __shfl_xor_sync(lanes, number, offset);
  return number;
}

// Sums over the lanes of a warp that hold the same pairs of other heads.
template <int kLanes>
__device__ float sum_of_heads(float number) {
#pragma unroll
  for (int offset = kWarp / 2; offset >= kLanes; offset /= 2)
    number += __shfl_xor_sync(0xffffffffU, number, offset);
  return number;
}

// Says where the item of kLanes lanes is: heads of a token are those of query, of key, then of
// value.
template <int kLanes>
struct Walk {
  std::int64_t token, batch, token_step;
  int place, head;  // place: in the sequence
  int heads, sequence, head_step;

  __device__ Walk(const HeadShape& shape, int all_heads)
      : heads(all_heads), sequence(static_cast<int>(shape.sequence)) {
    constexpr std::uint32_t kOfABlock = kHeadThreads / kLanes;
    const auto index = blockIdx.x * kOfABlock + threadIdx.x / kLanes;
    const auto step = gridDim.x * kOfABlock;
    const auto count = static_cast<std::uint32_t>(heads);
    token = index / count;
    head = static_cast<int>(index % count);
    token_step = step / count;
    head_step = static_cast<int>(step % count);
    batch = token / sequence;
    place = static_cast<int>(token % sequence);
  }
  __device__ void advance() {
    const bool next_token = head + head_step >= heads;
    head += head_step - (next_token ? heads : 0);
    const std::int64_t tokens = token_step + (next_token ? 1 : 0);
    token += tokens;
    place += static_cast<int>(tokens);
    for (; place >= sequence; place -= sequence) ++batch;
  }
};

template <int kRun>
__device__ void load_run(const float* from, float (&numbers)[kRun]) {
  struct alignas(4 * kRun) Run {
    float numbers[kRun];
  };
  const Run run = *reinterpret_cast<const Run*>(from);
#pragma unroll
  for (int i = 0; i < kRun; ++i) numbers[i] = run.numbers[i];
}
template <int kRun>
__device__ void load_run(const Bfloat16* from, float (&numbers)[kRun]) {
  struct alignas(2 * kRun) Run {
    Bfloat16 numbers[kRun];
  };
  const Run run = *reinterpret_cast<const Run*>(from);
#pragma unroll
  for (int i = 0; i < kRun; ++i) numbers[i] = to_float(run.numbers[i]);
}
template <class T, int kRun>
__device__ void store_run(T* to, const float (&numbers)[kRun]) {
  struct alignas(sizeof(T) * kRun) Run {
    T numbers[kRun];
  };
  Run run;
#pragma unroll
  for (int i = 0; i < kRun; ++i) store_one(run.numbers + i, numbers[i]);
  *reinterpret_cast<Run*>(to) = run;
}

template <int kLanes, bool kWhole>
struct Pairs {
  float first[kPairs] = {}, second[kPairs] = {};

  __device__ static int begin() { return static_cast<int>(threadIdx.x) % kLanes * kPairs; }

  template <class T>
  __device__ void load(const T* firsts, const T* seconds, int half) {
    const int i = begin();
    if constexpr (kWhole) {
      if (i >= half) return;
      load_run(firsts + i, first);
      load_run(seconds + i, second);
    } else {
#pragma unroll
      for (int p = 0; p < kPairs; ++p) {
        if (i + p >= half) continue;
        first[p] = to_float(firsts[i + p]);
        second[p] = to_float(seconds[i + p]);
      }
    }
  }
  template <class T>
  __device__ void load(const T* head, int half) {
    load(head, head + half, half);
  }
  template <class T>
  __device__ void store(T* head, int half) const {
    const int i = begin();
    if constexpr (kWhole) {
      if (i >= half) return;
      store_run(head + i, first);
      store_run(head + half + i, second);
    } else {
#pragma unroll
      for (int p = 0; p < kPairs; ++p) {
        if (i + p >= half) continue;
        store_one(head + i + p, first[p]);
        store_one(head + half + i + p, second[p]);
      }
    }
  }
  __device__ float squares() const {
    float sum = 0;
#pragma unroll
    for (int p = 0; p < kPairs; ++p) sum += first[p] * first[p] + second[p] * second[p];
    return head_sum<kLanes>(sum);
  }
  // Turns each pair by its angle, or back.
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

template <class Held, class Item>
__device__ Held angles_of(const QkNormRope& p, const Item& item, int half) {
  const std::int64_t begin = (p.tables_by_token ? item.token : item.place) * half;
  Held out;
  out.load(p.cosine + begin, p.sine + begin, half);
  return out;
}

template <class T, int kLanes, bool kWhole>
__global__ void __launch_bounds__(kHeadThreads) qk_norm_rope_kernel(QkNormRope p) {
  using Held = Pairs<kLanes, kWhole>;
  const HeadShape s = p.shape;
  const int size = static_cast<int>(s.head_size), half = size / 2;
  const int in_packed = static_cast<int>(s.heads + 2 * s.kv_heads);
  const int heads = in_packed - (p.value == nullptr ? static_cast<int>(s.kv_heads) : 0);
  const std::int64_t tokens = s.batch * s.sequence;
  Held query_weight, key_weight;
  query_weight.load(static_cast<const T*>(p.query_weight), half);
  key_weight.load(static_cast<const T*>(p.key_weight), half);
  for (Walk<kLanes> item(s, heads); item.token < tokens; item.advance()) {
    const std::int64_t key = item.head - s.heads, value = key - s.kv_heads;
    Held x;
    x.load(static_cast<const T*>(p.packed) + (item.token * in_packed + item.head) * size, half);
    if (value >= 0) {
      x.store(static_cast<T*>(p.value) + (item.token * s.kv_heads + value) * size, half);
      continue;
    }
    const Held angles = angles_of<Held>(p, item, half);
    const float scale = rsqrtf(x.squares() / static_cast<float>(size) + p.epsilon);
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      x.first[pair] *= scale * (key < 0 ? query_weight.first[pair] : key_weight.first[pair]);
      x.second[pair] *= scale * (key < 0 ? query_weight.second[pair] : key_weight.second[pair]);
    }
    x.turn(angles, 1);
    T* out = key < 0 ? static_cast<T*>(p.query) + (item.token * s.heads + item.head) * size
                     : static_cast<T*>(p.key) + (item.token * s.kv_heads + key) * size;
    x.store(out, half);
  }
}

template <class T, class Item>
__device__ const T* head_of(const HeadGradient& gradient, const Item& item, std::int64_t head) {
  return static_cast<const T*>(gradient.data) + item.batch * gradient.batch_stride +
         item.place * gradient.token_stride + head * gradient.head_stride;
}

// Turned back, then as rms_norm's gradient; the weights' sums go by warp and then by block.
template <class T, int kLanes, bool kWhole>
__global__ void __launch_bounds__(kHeadThreads) qk_norm_rope_gradient_kernel(QkNormRopeGradient p) {
  using Held = Pairs<kLanes, kWhole>;
  extern __shared__ float block_sums[];  // [2, head_size]
  const HeadShape s = p.forward.shape;
  const int heads = static_cast<int>(s.heads + 2 * s.kv_heads);
  const int size = static_cast<int>(s.head_size), half = size / 2;
  const std::int64_t tokens = s.batch * s.sequence;
  Held weight[2], sums[2];
  weight[0].load(static_cast<const T*>(p.forward.query_weight), half);
  weight[1].load(static_cast<const T*>(p.forward.key_weight), half);
  for (Walk<kLanes> item(s, heads); item.token < tokens; item.advance()) {
    const std::int64_t begin = (item.token * heads + item.head) * size;
    T* out = static_cast<T*>(p.packed_gradient) + begin;
    Held g;
    if (item.head >= s.heads + s.kv_heads) {
      g.load(head_of<T>(p.value, item, item.head - s.heads - s.kv_heads), half);
      g.store(out, half);
      continue;
    }
    const bool is_key = item.head >= s.heads;
    g.load(is_key ? head_of<T>(p.key, item, item.head - s.heads)
                  : head_of<T>(p.query, item, item.head),
           half);
    Held x;
    x.load(static_cast<const T*>(p.forward.packed) + begin, half);
    g.turn(angles_of<Held>(p.forward, item, half), -1);
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
    const float mean = head_sum<kLanes>(product) / static_cast<float>(size);
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      g.first[pair] = scale * (g.first[pair] - x.first[pair] * mean);
      g.second[pair] = scale * (g.second[pair] - x.second[pair] * mean);
    }
    g.store(out, half);
  }
  const int own_warp = static_cast<int>(threadIdx.x) / kWarp;
#pragma unroll
  for (int kind = 0; kind < 2; ++kind) {
#pragma unroll
    for (int pair = 0; pair < kPairs; ++pair) {
      sums[kind].first[pair] = sum_of_heads<kLanes>(sums[kind].first[pair]);
      sums[kind].second[pair] = sum_of_heads<kLanes>(sums[kind].second[pair]);
    }
  }
  for (int warp = 0; warp < kHeadWarps; ++warp) {
    if (warp == own_warp && threadIdx.x % kWarp < kLanes) {
#pragma unroll
      for (int kind = 0; kind < 2; ++kind) {
#pragma unroll
        for (int pair = 0; pair < kPairs; ++pair) {
          const int i = Held::begin() + pair;
          if (i >= half) continue;
          float* first = block_sums + kind * size + i;
          first[0] = sums[kind].first[pair] + (warp == 0 ? 0 : first[0]);
          first[half] = sums[kind].second[pair] + (warp == 0 ? 0 : first[half]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = static_cast<int>(threadIdx.x); i < 2 * size; i += kHeadThreads)
    p.weight_partials[std::int64_t{blockIdx.x} * 2 * size + i] = block_sums[i];
}

bool starts_run(const void* address, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

template <class T>
bool whole_runs(const QkNormRope& p) {
  const std::size_t bytes = kPairs * sizeof(T);
  for (const void* numbers :
       {p.packed, p.query_weight, p.key_weight, static_cast<const void*>(p.query),
        static_cast<const void*>(p.key), static_cast<const void*>(p.value)})
    if (!starts_run(numbers, bytes)) return false;
  return p.shape.head_size / 2 % kPairs == 0 && starts_run(p.cosine, kPairs * sizeof(float)) &&
         starts_run(p.sine, kPairs * sizeof(float));
}

template <class T>
bool whole_runs(const QkNormRopeGradient& p) {
  const std::size_t bytes = kPairs * sizeof(T);
  for (const HeadGradient& g : {p.query, p.key, p.value})
    if (!starts_run(g.data, bytes) || g.batch_stride % kPairs != 0 ||
        g.token_stride % kPairs != 0 || g.head_stride % kPairs != 0)
      return false;
  return starts_run(p.packed_gradient, bytes) && whole_runs<T>(p.forward);
}

template <class T, int kLanes, bool kWhole>
Status launch(const QkNormRope& p, cudaStream_t stream) {
  constexpr std::int64_t kOfABlock = kHeadThreads / kLanes, kMostBlocks = 2112;
  const std::int64_t heads = p.shape.heads + (p.value == nullptr ? 1 : 2) * p.shape.kv_heads;
  const std::int64_t items = p.shape.batch * p.shape.sequence * heads;
  const std::int64_t blocks = (items + kOfABlock - 1) / kOfABlock;
  const auto grid = static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
  qk_norm_rope_kernel<T, kLanes, kWhole><<<grid, kHeadThreads, 0, stream>>>(p);
  return cuda_status(cudaGetLastError(), "qk_norm_rope_kernel");
}

template <class T, int kLanes, bool kWhole>
Status launch(const QkNormRopeGradient& p, cudaStream_t stream) {
  const auto bytes = 2 * static_cast<std::size_t>(p.forward.shape.head_size) * sizeof(float);
  qk_norm_rope_gradient_kernel<T, kLanes, kWhole>
      <<<kHeadPartials, kHeadThreads, bytes, stream>>>(p);
  return cuda_status(cudaGetLastError(), "qk_norm_rope_gradient_kernel");
}

template <class T, int kLanes, class Arguments>
Status launch_lanes(const Arguments& p, cudaStream_t stream) {
  return whole_runs<T>(p) ? launch<T, kLanes, true>(p, stream)
                          : launch<T, kLanes, false>(p, stream);
}

template <class T, class Arguments>
Status launch_heads(const HeadShape& shape, const Arguments& p, cudaStream_t stream) {
  if (shape.head_size % 2 != 0 || shape.head_size > 256)
    return Status::bad_argument("head_size", "must be even and at most 256");
  const std::int64_t lanes = (shape.head_size / 2 + kPairs - 1) / kPairs;
  if (lanes <= 8) return launch_lanes<T, 8>(p, stream);
  if (lanes <= 16) return launch_lanes<T, 16>(p, stream);
  return launch_lanes<T, 32>(p, stream);
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
