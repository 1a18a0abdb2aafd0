// SPDX-License-Identifier: Apache-2.0
// graph_soak KERNELS REPLAYS SAMPLES: replays a CUDA graph of that many small kernels, one copy and
// one set, and prints a line of JSON at each sample: replays so far, seconds, device memory in use
// by all processes, resident memory of this one.
#include "soak.cuh"

namespace {

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
    sample("replays", i, begin);
  }
  CHECK(cudaStreamSynchronize(stream));
  return 0;
}
