// SPDX-License-Identifier: Apache-2.0
// What the soaks share: errors end the program; a sample is a line of JSON with what was done so far, seconds, device
// memory in use by all processes, resident memory of this one.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(2);
}
#define CHECK(call) check(call, __LINE__)

__global__ void touch(int* value) {
  if (threadIdx.x == 0) *value += 1;
}

inline long resident_bytes() {
  long pages = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file != nullptr) std::fclose(file);
  return resident * 4096;
}

inline void sample(const char* what, long done, std::chrono::steady_clock::time_point begin) {
  std::size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::printf("{\"%s\": %ld, \"seconds\": %.3f, \"device_bytes\": %zu, \"resident_bytes\": %ld}\n", what, done,
              passed.count(), total - free, resident_bytes());
  std::fflush(stdout);
}
