// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/read_only.hpp"

#include <cstdint>

#include "kernels/common/async_copy.cuh"

namespace stepscope::kernels {
namespace {

constexpr int kThreads = 512;

__device__ unsigned folded(const uint4& four) {
  return four.x ^ four.y ^ four.z ^ four.w;
}

// So that the reads are needed: true for no data in practice.
__device__ void keep(unsigned value, unsigned* sink) {
  if (value == 0x9e3779b9U) *sink = value;
}

template <int kUnroll>
__device__ uint4 load(const uint4* from) {
  uint4 four;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(four.x), "=r"(four.y), "=r"(four.z), "=r"(four.w)
               : "l"(from));
  return four;
}

template <int kUnroll>
__global__ void __launch_bounds__(kThreads)
    registers_kernel(const uint4* from, std::size_t count, unsigned* sink) {
  unsigned value = 0;
  const std::size_t stride = std::size_t{gridDim.x} * kThreads;
  std::size_t i = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
  for (; i + (kUnroll - 1) * stride < count; i += kUnroll * stride) {
    uint4 four[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) four[u] = load<kUnroll>(from + i + u * stride);
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) value ^= folded(four[u]);
  }
  for (; i < count; i += stride) value ^= folded(load<kUnroll>(from + i));
  keep(value, sink);
}

template <int kUnroll, int kBlocksPerProcessor>
void enqueue_registers(const void* memory, std::size_t bytes, unsigned* sink,
                       const DeviceLimits& device, cudaStream_t stream) {
  const unsigned blocks = static_cast<unsigned>(device.multiprocessors) * kBlocksPerProcessor;
  registers_kernel<kUnroll>
      <<<blocks, kThreads, 0, stream>>>(static_cast<const uint4*>(memory), bytes / 16, sink);
}

// Each thread's own ring in shared memory, filled with cp.async.
template <int kStages>
__global__ void __launch_bounds__(kThreads)
    ring_kernel(const uint4* from, std::size_t count, unsigned* sink) {
  extern __shared__ uint4 ring[];
  unsigned value = 0;
  const std::size_t stride = std::size_t{gridDim.x} * kThreads;
  const std::size_t first = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
  std::size_t ahead = first;
  const auto copy = [&](int stage) {
    const auto to =
        static_cast<std::uint32_t>(__cvta_generic_to_shared(ring + stage * kThreads + threadIdx.x));
    if (ahead < count)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + ahead)
                   : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    ahead += stride;
  };
  for (int stage = 0; stage < kStages; ++stage) copy(stage);
  int stage = 0;
  for (std::size_t i = first; i < count; i += stride) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 1) : "memory");
    value ^= folded(ring[stage * kThreads + threadIdx.x]);
    copy(stage);
    stage = stage + 1 == kStages ? 0 : stage + 1;
  }
  keep(value, sink);
}

template <int kStages, int kBlocksPerProcessor>
void enqueue_ring(const void* memory, std::size_t bytes, unsigned* sink, const DeviceLimits& device,
                  cudaStream_t stream) {
  constexpr int kBytes = kStages * kThreads * 16;
  (void)cudaFuncSetAttribute(ring_kernel<kStages>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kBytes);
  const unsigned blocks = static_cast<unsigned>(device.multiprocessors) * kBlocksPerProcessor;
  ring_kernel<kStages>
      <<<blocks, kThreads, kBytes, stream>>>(static_cast<const uint4*>(memory), bytes / 16, sink);
}

// The same by strips of kPieces * 512 B a warp; a block's warps read side by side. kOnce: what was
// read leaves the L2 first. kLastFirst: strips, as a writer left them in the L2.
template <int kPieces, int kStages, bool kOnce, bool kLastFirst>
__global__ void __launch_bounds__(kThreads)
    strips_kernel(const uint4* from, std::size_t count, unsigned* sink) {
  extern __shared__ uint4 ring[];
  constexpr unsigned kLanes = 32;
  constexpr unsigned kWarps = kThreads / kLanes;
  const std::size_t strips = count / (kLanes * kPieces);
  const std::size_t stride = std::size_t{gridDim.x} * kWarps;
  const std::size_t first = std::size_t{blockIdx.x} * kWarps + threadIdx.x / kLanes;
  const auto slot = [&](int stage, int piece) {
    return ring + (stage * kPieces + piece) * kThreads + threadIdx.x;
  };
  std::size_t ahead = first;
  const std::uint64_t policy = kOnce ? read_once_policy(1) : 0;
  const auto copy = [&](int stage) {
    const std::size_t number = kLastFirst ? strips - 1 - ahead : ahead;
    const uint4* const strip = from + number * kLanes * kPieces + threadIdx.x % kLanes;
#pragma unroll
    for (int piece = 0; piece < kPieces; ++piece)
      if (ahead < strips) {
        const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(slot(stage, piece)));
        if constexpr (kOnce)
          asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(to),
                       "l"(strip + piece * kLanes), "l"(policy)
                       : "memory");
        else
          asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
                       "l"(strip + piece * kLanes)
                       : "memory");
      }
    asm volatile("cp.async.commit_group;" ::: "memory");
    ahead += stride;
  };
  for (int stage = 0; stage < kStages; ++stage) copy(stage);
  unsigned value = 0;
  int stage = 0;
  for (std::size_t strip = first; strip < strips; strip += stride) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 1) : "memory");
#pragma unroll
    for (int piece = 0; piece < kPieces; ++piece) value ^= folded(*slot(stage, piece));
    copy(stage);
    stage = stage + 1 == kStages ? 0 : stage + 1;
  }
  keep(value, sink);
}

template <int kPieces, int kStages, int kBlocksPerProcessor, bool kOnce = false,
          bool kLastFirst = false>
void enqueue_strips(const void* memory, std::size_t bytes, unsigned* sink,
                    const DeviceLimits& device, cudaStream_t stream) {
  constexpr int kBytes = kStages * kPieces * kThreads * 16;
  (void)cudaFuncSetAttribute(strips_kernel<kPieces, kStages, kOnce, kLastFirst>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  const unsigned blocks = static_cast<unsigned>(device.multiprocessors) * kBlocksPerProcessor;
  strips_kernel<kPieces, kStages, kOnce, kLastFirst>
      <<<blocks, kThreads, kBytes, stream>>>(static_cast<const uint4*>(memory), bytes / 16, sink);
}

// Bulk copies of one chunk each, issued by one thread, awaited by all on a barrier a stage.
template <int kStages, int kChunkBytes>
__global__ void __launch_bounds__(kThreads)
    bulk_kernel(const char* from, std::size_t chunks, unsigned* sink) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) uint4 ring[];
  __shared__ std::uint64_t full[kStages];
  const auto barrier = [&](int stage) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(full + stage));
  };
  if (threadIdx.x == 0)
    for (int stage = 0; stage < kStages; ++stage)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier(stage)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  __syncthreads();
  std::size_t ahead = blockIdx.x;
  const auto copy = [&](int stage) {
    if (ahead < chunks) {
      const auto to =
          static_cast<std::uint32_t>(__cvta_generic_to_shared(ring)) + stage * kChunkBytes;
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier(stage)),
                   "n"(kChunkBytes)
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
          "[%3];" ::"r"(to),
          "l"(from + ahead * kChunkBytes), "n"(kChunkBytes), "r"(barrier(stage))
          : "memory");
    }
    ahead += gridDim.x;
  };
  if (threadIdx.x == 0)
    for (int stage = 0; stage < kStages; ++stage) copy(stage);
  unsigned value = 0;
  int stage = 0;
  std::uint32_t parity = 0;
  for (std::size_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    std::uint32_t done = 0;
    while (done == 0)
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, "
          "0, p; }"
          : "=r"(done)
          : "r"(barrier(stage)), "r"(parity)
          : "memory");
    for (int i = static_cast<int>(threadIdx.x); i < kChunkBytes / 16; i += kThreads)
      value ^= folded(ring[stage * (kChunkBytes / 16) + i]);
    __syncthreads();
    if (threadIdx.x == 0) copy(stage);
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1U;
    }
  }
  keep(value, sink);
#endif
}

template <int kStages, int kChunkBytes, int kBlocksPerProcessor>
void enqueue_bulk(const void* memory, std::size_t bytes, unsigned* sink, const DeviceLimits& device,
                  cudaStream_t stream) {
  constexpr int kBytes = kStages * kChunkBytes;
  (void)cudaFuncSetAttribute(bulk_kernel<kStages, kChunkBytes>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  const unsigned blocks = static_cast<unsigned>(device.multiprocessors) * kBlocksPerProcessor;
  bulk_kernel<kStages, kChunkBytes><<<blocks, kThreads, kBytes, stream>>>(
      static_cast<const char*>(memory), bytes / kChunkBytes, sink);
}

bool anywhere(const DeviceLimits& /*device*/) {
  return true;
}
template <int kStages, int kChunkBytes>
bool runs_bulk(const DeviceLimits& device) {
  constexpr std::size_t kBarriers = kStages * sizeof(std::uint64_t);
  return device.dependent_launch &&
         std::size_t{kStages} * kChunkBytes + kBarriers <= device.block_shared_bytes;
}

}  // namespace

std::vector<ReadOnlyKernel> strips_read_kernels() {
  return {{"strips 3 x 1 kB, 1024 threads", anywhere, enqueue_strips<2, 3, 2>},
          {"strips 3 x 1 kB, evict first", anywhere, enqueue_strips<2, 3, 2, true>},
          {"strips 3 x 1 kB, last first", anywhere, enqueue_strips<2, 3, 2, false, true>},
          {"strips 3 x 1 kB, last, evict", anywhere, enqueue_strips<2, 3, 2, true, true>}};
}

std::vector<ReadOnlyKernel> read_only_kernels() {
  std::vector<ReadOnlyKernel> all{
      {"registers, 4 loads, 2048 threads", anywhere, enqueue_registers<4, 4>},
      {"registers, 8 loads, 1024 threads", anywhere, enqueue_registers<8, 2>},
      {"registers, 8 loads, 1536 threads", anywhere, enqueue_registers<8, 3>},
      {"ring 4 x 16 B, 2048 threads", anywhere, enqueue_ring<4, 4>},
      {"ring 8 x 16 B, 1024 threads", anywhere, enqueue_ring<8, 2>},
      {"ring 12 x 16 B, 1024 threads", anywhere, enqueue_ring<12, 2>},
      {"ring 6 x 16 B, 2048 threads", anywhere, enqueue_ring<6, 4>},
      {"strips 3 x 2 kB, 1024 threads", anywhere, enqueue_strips<4, 3, 2>},
      {"bulk 12 x 16 kB, 1 block", runs_bulk<12, 16384>, enqueue_bulk<12, 16384, 1>},
      {"bulk 6 x 16 kB, 2 blocks", runs_bulk<6, 16384>, enqueue_bulk<6, 16384, 2>},
      {"bulk 12 x 8 kB, 2 blocks", runs_bulk<12, 8192>, enqueue_bulk<12, 8192, 2>}};
  for (const ReadOnlyKernel& strips : strips_read_kernels()) all.push_back(strips);
  return all;
}

}  // namespace stepscope::kernels
