// SPDX-License-Identifier: Apache-2.0
// endings MODE LAUNCHES TIMES: launches that many small kernels, 4 ms apart, appends to the file TIMES
// the wall clock (ns) of each launch in one line, prints a line, and ends in the way that MODE names.
#include <cuda_runtime.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(2);
}
#define CHECK(call) check(call, __LINE__)

__global__ void touch(int* value) {
  atomicAdd(value, 1);
}

using Times = std::vector<long long>;

long long now_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

void launch(int count, int* value, Times& times) {
  for (int i = 0; i < count; ++i) {
    times.push_back(now_ns());
    touch<<<1, 32>>>(value);
    CHECK(cudaGetLastError());
    usleep(4'000);
  }
}

void launch_from_threads(int count, int* value, Times& times) {
  std::vector<std::thread> threads;
  std::vector<Times> of_threads(4);
  for (Times& own : of_threads) {
    threads.emplace_back([&own, value, count] { launch(count / 4, value, own); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Times& own : of_threads) times.insert(times.end(), own.begin(), own.end());
}

void fork_children() {
  for (int i = 0; i < 3; ++i) {
    if (fork() != 0) continue;
    if (i == 0) _exit(0);
    if (i == 1) std::exit(0);
    raise(SIGKILL);
  }
  while (wait(nullptr) > 0) {
  }
}

void append(const char* path, const Times& times) {
  std::FILE* file = std::fopen(path, "a");
  for (const long long time : times) std::fprintf(file, "%lld ", time);
  std::fprintf(file, "\n");
  std::fclose(file);
}

void reset_and_go_on(int* value, const char* path) {
  CHECK(cudaFree(value));
  CHECK(cudaDeviceReset());
  CHECK(cudaMalloc(&value, sizeof(int)));
  Times times;
  launch(50, value, times);
  CHECK(cudaDeviceSynchronize());
  append(path, times);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string mode = argv[1];
  const int count = std::atoi(argv[2]);
  int* value = nullptr;
  CHECK(cudaMalloc(&value, sizeof(int)));
  Times times;
  if (mode == "threads") launch_from_threads(count, value, times);
  else launch(count, value, times);
  if (mode == "fork") {
    fork_children();
    launch(50, value, times);
  }
  CHECK(cudaDeviceSynchronize());
  append(argv[3], times);
  std::printf("launched, then %s\n", mode.c_str());
  std::fflush(stdout);
  if (mode == "exit") std::exit(3);
  if (mode == "quick_exit") _exit(5);
  if (mode == "reset") CHECK(cudaDeviceReset());
  if (mode == "reset_and_go_on") reset_and_go_on(value, argv[3]);
  if (mode == "sigterm") raise(SIGTERM);
  if (mode == "sigkill") raise(SIGKILL);
  if (mode == "abort") std::abort();
  if (mode == "segv") raise(SIGSEGV);
  if (mode == "throw") throw std::runtime_error("on purpose");
  if (mode == "exec") execl(argv[0], argv[0], "return", argv[2], argv[3], nullptr);
  return 0;
}
