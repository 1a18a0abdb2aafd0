// SPDX-License-Identifier: Apache-2.0
// runtime_calls: calls of the CUDA runtime as training makes them, each kind another number of times, on every kind of
// stream. Prints JSON: how many of each name, and how many kernels ran. The first call makes the context, so that what
// the driver does there lies inside it.
#include <cooperative_groups.h>

#include <map>
#include <string>

#include "soak.cuh"

namespace {

constexpr std::size_t kBytes = 4099;  // no multiple of 4: sets take the driver's bytes

std::map<std::string, int> made;
#define COUNTED(name, ...) (++made[#name], CHECK(name(__VA_ARGS__)))

int kernels = 0;

void launch(cudaStream_t stream, int* value) {
  touch<<<1, 32, 0, stream>>>(value);
  ++made["cudaLaunchKernel"];
  CHECK(cudaGetLastError());
}

void launch_by_configuration(cudaStream_t stream, int* value) {
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 32;
  config.stream = stream;
  void* arguments[] = {&value};
  COUNTED(cudaLaunchKernelExC, &config, reinterpret_cast<const void*>(touch), arguments);
}

struct Memory {
  int *value = nullptr, *other = nullptr, *pinned = nullptr;
  int pageable[kBytes / sizeof(int) + 1]{};
};

void copies(const Memory& memory, Memory& host, cudaStream_t stream) {
  for (int i = 0; i < 2; ++i) {
    COUNTED(cudaMemcpyAsync, memory.value, memory.pinned, kBytes, cudaMemcpyHostToDevice, stream);
    COUNTED(cudaMemcpyAsync, memory.pinned, memory.value, kBytes, cudaMemcpyDeviceToHost, stream);
    COUNTED(cudaMemcpyAsync, memory.other, memory.value, kBytes, cudaMemcpyDeviceToDevice, stream);
    COUNTED(cudaMemcpyAsync, memory.value, memory.other, kBytes, cudaMemcpyDefault, stream);
    COUNTED(cudaMemcpyAsync, memory.value, memory.pageable, kBytes, cudaMemcpyHostToDevice, stream);
    COUNTED(cudaMemcpyAsync, host.pageable, memory.value, kBytes, cudaMemcpyDeviceToHost, stream);
  }
  for (int i = 0; i < 3; ++i) COUNTED(cudaMemsetAsync, memory.value, i, kBytes, stream);
  COUNTED(cudaMemsetAsync, memory.value, 0, 4096, stream);
}

void work(Memory& memory, cudaStream_t stream, cudaStream_t waiting, cudaEvent_t event) {
  for (int i = 0; i < 10; ++i) launch(stream, memory.value), ++kernels;
  for (int i = 0; i < 7; ++i) launch_by_configuration(stream, memory.value), ++kernels;
  copies(memory, memory, stream);
  for (int i = 0; i < 5; ++i) COUNTED(cudaEventRecord, event, stream);
  for (int i = 0; i < 4; ++i) COUNTED(cudaStreamWaitEvent, waiting, event, 0);
  for (int i = 0; i < 3; ++i) COUNTED(cudaStreamSynchronize, stream);
  for (int i = 0; i < 2; ++i) COUNTED(cudaEventSynchronize, event);
}

void graph(const Memory& memory, cudaStream_t stream, cudaEvent_t event) {
  cudaGraph_t captured = nullptr;
  cudaGraphExec_t ready = nullptr;
  COUNTED(cudaStreamBeginCapture, stream, cudaStreamCaptureModeThreadLocal);
  launch(stream, memory.value);
  launch_by_configuration(stream, memory.value);
  COUNTED(cudaMemsetAsync, memory.value, 1, kBytes, stream);
  COUNTED(cudaEventRecord, event, stream);
  COUNTED(cudaStreamWaitEvent, stream, event, 0);
  COUNTED(cudaMemcpyAsync, memory.other, memory.value, kBytes, cudaMemcpyDeviceToDevice, stream);
  COUNTED(cudaStreamEndCapture, stream, &captured);
  COUNTED(cudaGraphInstantiate, &ready, captured, 0);
  for (int i = 0; i < 9; ++i) COUNTED(cudaGraphLaunch, ready, stream), kernels += 2;
  COUNTED(cudaStreamSynchronize, stream);
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaGraphDestroy(captured));
}

// Calls that stepscope records in the domain of the runtime, not of the driver.
void rare(Memory& memory, cudaStream_t stream, cudaEvent_t event) {
  void *pooled = nullptr, *arguments[] = {&memory.value};
  for (int i = 0; i < 3; ++i) COUNTED(cudaMemcpy, memory.value, memory.pageable, kBytes, cudaMemcpyHostToDevice);
  COUNTED(cudaMemcpy, memory.pageable, memory.value, kBytes, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 2; ++i) COUNTED(cudaMemset, memory.value, 0, kBytes);
  COUNTED(cudaMemcpy2DAsync, memory.other, 64, memory.value, 64, 32, 8, cudaMemcpyDeviceToDevice, stream);
  for (int i = 0; i < 2; ++i) COUNTED(cudaEventRecordWithFlags, event, stream, cudaEventRecordDefault);
  COUNTED(cudaLaunchCooperativeKernel, reinterpret_cast<const void*>(touch), dim3(1), dim3(32), arguments, 0, stream);
  ++kernels;
  COUNTED(cudaLaunchHostFunc, stream, [](void*) {}, nullptr);
  COUNTED(cudaMallocAsync, &pooled, kBytes, stream);
  COUNTED(cudaFreeAsync, pooled, stream);
  for (int i = 0; i < 3; ++i) COUNTED(cudaDeviceSynchronize);
}

}  // namespace

int main() {
  Memory memory;
  COUNTED(cudaMalloc, reinterpret_cast<void**>(&memory.value), kBytes);
  COUNTED(cudaMalloc, reinterpret_cast<void**>(&memory.other), kBytes);
  COUNTED(cudaHostAlloc, reinterpret_cast<void**>(&memory.pinned), kBytes, cudaHostAllocDefault);
  cudaStream_t own = nullptr, second = nullptr;
  cudaEvent_t event = nullptr;
  CHECK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  for (cudaStream_t stream : {own, cudaStream_t{nullptr}, cudaStreamLegacy, cudaStreamPerThread})
    work(memory, stream, second, event);
  graph(memory, own, event);
  rare(memory, own, event);
  COUNTED(cudaFreeHost, memory.pinned);
  COUNTED(cudaFree, memory.value);
  COUNTED(cudaFree, memory.other);
  std::printf("{\"kernels\": %d, \"calls\": {", kernels);
  const char* before = "";
  for (const auto& [name, count] : made) std::printf("%s\"%s\": %d", before, name.c_str(), count), before = ", ";
  std::printf("}}\n");
  return 0;
}
