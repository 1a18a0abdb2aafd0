// SPDX-License-Identifier: Apache-2.0
// overlap PAIRS: two kernels at a time on two streams, small enough to run side by side, timed by
// CUDA events. Prints JSON: microseconds of each kernel, and from the first begin to the last end.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(2);
}
#define CHECK(call) check(call, __LINE__)

__device__ float turn(float value, int turns) {
  for (int i = 0; i < turns; ++i) value = value * 1.000001F + 0.5F;
  return value;
}

__global__ void work_a(float* out, int turns) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = turn(1, turns);
}

__global__ void work_b(float* out, int turns) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = turn(2, turns);
}

constexpr int kBlocks = 16, kThreads = 128;
constexpr int kTurnsA = 1'000'000, kTurnsB = 1'500'000;  // about 2 and 3 ms

struct Side {
  cudaStream_t stream;
  cudaEvent_t begin, end;
  float* out;
};

Side make_side() {
  Side side{};
  CHECK(cudaStreamCreateWithFlags(&side.stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&side.begin));
  CHECK(cudaEventCreate(&side.end));
  CHECK(cudaMalloc(&side.out, kBlocks * kThreads * sizeof(float)));
  return side;
}

float microseconds(cudaEvent_t from, cudaEvent_t to) {
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, from, to));
  return milliseconds * 1000;
}

void run_pair(Side& a, Side& b) {
  CHECK(cudaEventRecord(a.begin, a.stream));
  work_a<<<kBlocks, kThreads, 0, a.stream>>>(a.out, kTurnsA);
  CHECK(cudaEventRecord(a.end, a.stream));
  CHECK(cudaEventRecord(b.begin, b.stream));
  work_b<<<kBlocks, kThreads, 0, b.stream>>>(b.out, kTurnsB);
  CHECK(cudaEventRecord(b.end, b.stream));
  CHECK(cudaDeviceSynchronize());
}

void print(const char* name, const std::vector<float>& values, const char* after) {
  std::printf("\"%s\": [", name);
  for (std::size_t i = 0; i < values.size(); ++i) std::printf("%s%.3f", i == 0 ? "" : ", ", values[i]);
  std::printf("]%s", after);
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 20;
  Side a = make_side(), b = make_side();
  for (int i = 0; i < 5; ++i) run_pair(a, b);  // clocks rise
  std::vector<float> of_a, of_b, total;
  for (int i = 0; i < pairs; ++i) {
    run_pair(a, b);
    of_a.push_back(microseconds(a.begin, a.end));
    of_b.push_back(microseconds(b.begin, b.end));
    const float to_b = microseconds(a.begin, b.end);
    total.push_back(to_b > of_a.back() ? to_b : of_a.back());
  }
  std::printf("{");
  print("a_us", of_a, ", ");
  print("b_us", of_b, ", ");
  print("total_us", total, "}\n");
  return 0;
}
