// SPDX-License-Identifier: Apache-2.0
// attach_cost ROUNDS: what a launch of an empty kernel and a small copy take while CUPTI comes and goes in the process:
// a line a stage, nanoseconds, medians over batches. CUPTI is opened late, so "plain" is a process that never saw it.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kBatch = 500;
constexpr int kKinds[] = {1, 2, 10};  // memcpy, memset, concurrent kernel

__global__ void nothing() {}

void* cupti() {
  static void* library = dlopen("libcupti.so.13", RTLD_NOW);
  return library;
}

template <typename... Arguments>
void call(const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(cupti(), name));
  const int status = function == nullptr ? -1 : function(arguments...);
  if (status != 0) std::fprintf(stderr, "%s: %d\n", name, status), std::exit(1);
}

void on_callback(void*, int, std::uint32_t, const void*) {}
void give(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *size = 8U << 20U;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
  *records = 0;
}
void take(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t) { std::free(buffer); }

template <typename Work>
double median_ns(int rounds, Work work) {
  std::vector<double> found;
  for (int round = 0; round < rounds; ++round) {
    cudaDeviceSynchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kBatch; ++i) work();
    found.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kBatch);
  }
  std::nth_element(found.begin(), found.begin() + rounds / 2, found.end());
  return found[rounds / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
  char *from = nullptr, *to = nullptr;
  cudaMalloc(&from, 64), cudaMalloc(&to, 64);
  const auto measure = [&](const char* stage) {
    const double launch = median_ns(rounds, [] { nothing<<<1, 1>>>(); });
    const double copy = median_ns(rounds, [&] { cudaMemcpyAsync(to, from, 16, cudaMemcpyDeviceToDevice); });
    const double look = median_ns(rounds, [] { cudaStreamQuery(nullptr); });
    std::printf("{\"stage\": \"%s\", \"launch_ns\": %.0f, \"copy_ns\": %.0f, \"query_ns\": %.0f}\n", stage, launch, copy, look);
    std::fflush(stdout);
  };
  void* subscriber = nullptr;
  measure("warm-up");
  measure("plain");
  measure("plain again");
  call("cuptiSubscribe", &subscriber, on_callback, static_cast<void*>(nullptr));
  measure("subscribed");
  call("cuptiActivityRegisterCallbacks", give, take);
  for (const int kind : kKinds) call("cuptiActivityEnable", kind);
  measure("kinds on");
  for (const int kind : kKinds) call("cuptiActivityDisable", kind);
  measure("kinds off");
  for (const int kind : kKinds) call("cuptiActivityEnable", kind);
  measure("kinds on again");
  for (const int kind : kKinds) call("cuptiActivityDisable", kind);
  call("cuptiUnsubscribe", subscriber);
  measure("unsubscribed");
  call("cuptiActivityFlushAll", std::uint32_t{1});
  call("cuptiFinalize");
  measure("finalized");
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
}
