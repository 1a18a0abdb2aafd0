// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/l2_flush.hpp"

#include "kernels/common/cuda_check.hpp"

namespace stepscope::kernels {
namespace {

constexpr unsigned kBlocks = 1024;
constexpr unsigned kThreads = 512;
constexpr unsigned kWordsOfLine = 128 / sizeof(unsigned);

__global__ void __launch_bounds__(kThreads)
    read_kernel(const uint4* from, std::size_t count, unsigned* sink) {
  unsigned value = 0;
  for (std::size_t i = blockIdx.x * std::size_t{kThreads} + threadIdx.x; i < count;
       i += std::size_t{kBlocks} * kThreads) {
    const uint4 four = from[i];
    value ^= four.x ^ four.y ^ four.z ^ four.w;
  }
  if (value == 0x9e3779b9U) *sink = value;  // so that the reads are needed
}

// The first word of each line says where the next one lies.
__global__ void write_chain_kernel(unsigned* lines, unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) lines[i * kWordsOfLine] = (i + 1) % count * kWordsOfLine;
}

// By one thread: each load says where the next one is to be.
__global__ void follow_chain_kernel(const unsigned* lines, unsigned count, std::int64_t* cycles,
                                    unsigned* sink) {
  unsigned at = 0;
  const std::int64_t began = clock64();
  for (unsigned i = 0; i < count; ++i) at = __ldcg(lines + at);
  *sink = at;
  __threadfence();
  *cycles = clock64() - began;
}

}  // namespace

void L2Flush::enqueue(cudaStream_t stream) const {
  read_kernel<<<kBlocks, kThreads, 0, stream>>>(reinterpret_cast<const uint4*>(buffer_.data()),
                                                kBytes / sizeof(uint4), sink_.data());
  cuda_check(cudaGetLastError(), "read_kernel");
}

LineChain::LineChain(unsigned lines)
    : count_(lines), words_(std::size_t{lines} * kWordsOfLine), cycles_(1), sink_(1) {}

void LineChain::write(cudaStream_t stream) const {
  write_chain_kernel<<<count_ / kThreads + 1, kThreads, 0, stream>>>(words_.data(), count_);
  cuda_check(cudaGetLastError(), "write_chain_kernel");
}

double LineChain::cycles_of_line(cudaStream_t stream) const {
  follow_chain_kernel<<<1, 1, 0, stream>>>(words_.data(), count_, cycles_.data(), sink_.data());
  cuda_check(cudaGetLastError(), "follow_chain_kernel");
  cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return static_cast<double>(cycles_.to_host().front()) / count_;
}

}  // namespace stepscope::kernels
