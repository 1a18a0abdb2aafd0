// SPDX-License-Identifier: Apache-2.0
// graph_soak KERNELS REPLAYS SAMPLES: replays a CUDA graph of that many small kernels, one copy and
// one set, and prints a line of JSON at each sample: replays so far, seconds, device memory in use
// by all processes, resident memory of this one.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(2);
}
#define CHECK(call) check(call, __LINE__)

__global__ void touch(int* value) {
  if (threadIdx.x == 0) *value += 1;
}

constexpr std::size_t kBytes = 4096;

cudaGraphExec_t make_graph(cudaStream_t stream, int kernels) {
  int *value = nullptr, *copy = nullptr;
  CHECK(cudaMalloc(&value, kBytes));
  CHECK(cudaMalloc(&copy, kBytes));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(value, 0, kBytes, stream));
  for (int i = 0; i < kernels; ++i) touch<<<1, 32, 0, stream>>>(value);
  CHECK(cudaMemcpyAsync(copy, value, kBytes, cudaMemcpyDeviceToDevice, stream));
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  return executable;
}

long resident_bytes() {
  long pages = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file != nullptr) std::fclose(file);
  return resident * 4096;
}

void sample(int replays, std::chrono::steady_clock::time_point begin) {
  std::size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::printf("{\"replays\": %d, \"seconds\": %.3f, \"device_bytes\": %zu, \"resident_bytes\": %ld}\n", replays,
              passed.count(), total - free, resident_bytes());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int kernels = std::atoi(argv[1]), replays = std::atoi(argv[2]), samples = std::atoi(argv[3]);
  const int every = replays / samples > 0 ? replays / samples : 1;
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  cudaGraphExec_t graph = make_graph(stream, kernels);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 1; i <= replays; ++i) {
    CHECK(cudaGraphLaunch(graph, stream));
    if (i % every != 0) continue;
    CHECK(cudaStreamSynchronize(stream));
    sample(i, begin);
  }
  CHECK(cudaStreamSynchronize(stream));
  return 0;
}
