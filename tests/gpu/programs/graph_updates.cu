// SPDX-License-Identifier: Apache-2.0
// graph_updates NODES UPDATE LAUNCHES [busy]: a CUDA graph made node by node, as XLA makes its
// command buffers, and launched over and over. Between two launches its nodes get the addresses of
// another set of buffers. What it computes is checked.
//
//   NODES   kernels; copies: five copies on the device before the kernels; sets: five memsets
//   UPDATE  none; params: each node of the executable graph by itself; graph: the graph's own nodes,
//           then the executable graph as a whole
//   busy    a second thread copies to the device and calls host functions meanwhile
//
// Exit 0, 2 where CUDA reports an error, 3 where a result is wrong. Needs -lcuda.
#include <cuda.h>
#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kFirst = 5, kKernels = 16, kSets = 2;
constexpr unsigned kWords = 4096;
constexpr std::size_t kBytes = kWords * sizeof(unsigned);

void check(int status, const char* call, int line) {
  if (status == 0) return;
  const char* name = nullptr;
  cuGetErrorName(static_cast<CUresult>(status), &name);
  std::printf("line %d: %s: %d %s\n", line, call, status, name == nullptr ? "" : name);
  std::fflush(stdout);
  std::_Exit(2);
}
#define CHECK(call) check(static_cast<int>(call), #call, __LINE__)

__global__ void add(const unsigned* from, unsigned* to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kWords) to[i] = from[i] + 1;
}

// One row of buffers: what is filled or copied first, then each kernel's result.
struct Buffers {
  std::array<unsigned*, kFirst + kKernels + 1> at{};
  Buffers() {
    for (unsigned*& buffer : at) {
      CHECK(cudaMalloc(&buffer, kBytes));
      CHECK(cudaMemset(buffer, 0, kBytes));
    }
  }
};

struct Program {
  std::string nodes, update;
  std::array<Buffers, kSets> sets;
  CUcontext context = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  std::vector<CUgraphNode> first, kernels;

  static CUDA_MEMCPY3D copy_of(const Buffers& buffers, int i) {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = reinterpret_cast<CUdeviceptr>(buffers.at[i]);
    copy.dstDevice = reinterpret_cast<CUdeviceptr>(buffers.at[i + 1]);
    copy.WidthInBytes = kBytes;
    copy.Height = copy.Depth = 1;
    return copy;
  }
  static CUDA_MEMSET_NODE_PARAMS set_of(const Buffers& buffers, int i) {
    CUDA_MEMSET_NODE_PARAMS set{};
    set.dst = reinterpret_cast<CUdeviceptr>(buffers.at[i + 1]);
    set.elementSize = sizeof(unsigned);
    set.width = kWords;
    set.height = 1;
    return set;
  }
  struct Kernel {
    const unsigned* from;
    unsigned* to;
    void* arguments[2] = {&from, &to};
    cudaKernelNodeParams params{};
    Kernel(const Buffers& buffers, int i)
        : from(buffers.at[kFirst + i]), to(buffers.at[kFirst + i + 1]) {
      params.func = reinterpret_cast<void*>(add);
      params.gridDim = dim3(kWords / 256);
      params.blockDim = dim3(256);
      params.kernelParams = arguments;
    }
    Kernel(const Kernel&) = delete;
  };

  void make() {
    CHECK(cuCtxGetCurrent(&context));
    CHECK(cuGraphCreate(&graph, 0));
    CUgraphNode last = nullptr;
    const auto before = [&] { return last == nullptr ? 0U : 1U; };
    for (int i = 0; i < kFirst && nodes != "kernels"; ++i) {
      CUgraphNode made = nullptr;
      const CUDA_MEMCPY3D copy = copy_of(sets[0], i);
      const CUDA_MEMSET_NODE_PARAMS set = set_of(sets[0], i);
      CHECK(nodes == "copies" ? cuGraphAddMemcpyNode(&made, graph, &last, before(), &copy, context)
                              : cuGraphAddMemsetNode(&made, graph, &last, before(), &set, context));
      first.push_back(last = made);
    }
    for (int i = 0; i < kKernels; ++i) {
      CUgraphNode made = nullptr;
      const Kernel kernel(sets[0], i);
      CHECK(cudaGraphAddKernelNode(&made, graph, &last, before(), &kernel.params));
      kernels.push_back(last = made);
    }
    CHECK(cuGraphInstantiateWithFlags(&executable, graph, 0));
  }

  void use(const Buffers& buffers) {
    if (update == "none") return;
    const bool each = update == "params";
    for (int i = 0; i < static_cast<int>(first.size()); ++i) {
      const CUDA_MEMCPY3D copy = copy_of(buffers, i);
      const CUDA_MEMSET_NODE_PARAMS set = set_of(buffers, i);
      if (nodes == "copies")
        CHECK(each ? cuGraphExecMemcpyNodeSetParams(executable, first[i], &copy, context)
                   : cuGraphMemcpyNodeSetParams(first[i], &copy));
      else
        CHECK(each ? cuGraphExecMemsetNodeSetParams(executable, first[i], &set, context)
                   : cuGraphMemsetNodeSetParams(first[i], &set));
    }
    for (int i = 0; i < kKernels; ++i) {
      const Kernel kernel(buffers, i);
      CHECK(each ? cudaGraphExecKernelNodeSetParams(executable, kernels[i], &kernel.params)
                 : cudaGraphKernelNodeSetParams(kernels[i], &kernel.params));
    }
    if (each) return;
    CUgraphExecUpdateResultInfo result{};
    CHECK(cuGraphExecUpdate(executable, graph, &result));
  }

  bool is_right(const Buffers& buffers) const {
    std::vector<unsigned> got(kWords);
    CHECK(cudaMemcpy(got.data(), buffers.at.back(), kBytes, cudaMemcpyDeviceToHost));
    for (const unsigned value : got) {
      if (value != kKernels) return false;
    }
    return true;
  }
};

void keep_busy(const std::atomic<bool>& done) {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  void *pinned = nullptr, *target = nullptr;
  CHECK(cudaMallocHost(&pinned, kBytes));
  CHECK(cudaMalloc(&target, kBytes));
  while (!done.load(std::memory_order_relaxed)) {
    for (int i = 0; i < 16; ++i) {
      CHECK(cudaMemcpyAsync(target, pinned, kBytes, cudaMemcpyHostToDevice, stream));
      CHECK(cudaLaunchHostFunc(stream, [](void*) {}, nullptr));
    }
    CHECK(cudaStreamSynchronize(stream));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 64;
  CHECK(cudaFree(nullptr));
  static Program program;
  program.nodes = argv[1];
  program.update = argv[2];
  const long launches = std::atol(argv[3]);
  program.make();
  std::atomic<bool> done{false};
  std::thread other;
  if (argc > 4 && std::strcmp(argv[4], "busy") == 0) other = std::thread([&] { keep_busy(done); });
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  long wrong = 0;
  for (long i = 0; i < launches; ++i) {
    const Buffers& buffers = program.sets[program.update == "none" ? 0 : i % kSets];
    program.use(buffers);
    CHECK(cuGraphLaunch(program.executable, stream));
    if (i % 500 != 499) continue;
    CHECK(cudaStreamSynchronize(stream));
    wrong += program.is_right(buffers) ? 0 : 1;
  }
  CHECK(cudaStreamSynchronize(stream));
  done = true;
  if (other.joinable()) other.join();
  std::printf("{\"launches\": %ld, \"wrong\": %ld}\n", launches, wrong);
  return wrong == 0 ? 0 : 3;
}
