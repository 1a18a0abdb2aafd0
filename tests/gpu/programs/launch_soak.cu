// SPDX-License-Identifier: Apache-2.0
// launch_soak THREADS STEPS LAUNCHES SAMPLES: in each step (an NVTX range "step N") that many launches from each thread
// into a stream of its own, each followed by every eighth a copy and every 64th an event recorded and waited for, then
// all streams are synchronised. Prints a line of JSON at each sample.
#include <nvtx3/nvToolsExt.h>

#include <string>
#include <thread>
#include <vector>

#include "soak.cuh"

namespace {

constexpr std::size_t kBytes = 4096;

struct Lane {
  cudaStream_t stream;
  cudaEvent_t event;
  int *value, *copy;
};

Lane make_lane() {
  Lane lane{};
  CHECK(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&lane.event, cudaEventDisableTiming));
  CHECK(cudaMalloc(&lane.value, kBytes));
  CHECK(cudaMalloc(&lane.copy, kBytes));
  CHECK(cudaMemset(lane.value, 0, kBytes));
  return lane;
}

void launch_some(const Lane& lane, int launches) {
  for (int i = 1; i <= launches; ++i) {
    touch<<<1, 32, 0, lane.stream>>>(lane.value);
    if (i % 8 == 0)
      CHECK(cudaMemcpyAsync(lane.copy, lane.value, kBytes, cudaMemcpyDeviceToDevice, lane.stream));
    if (i % 64 != 0) continue;
    CHECK(cudaEventRecord(lane.event, lane.stream));
    CHECK(cudaStreamWaitEvent(lane.stream, lane.event, 0));
  }
  CHECK(cudaStreamSynchronize(lane.stream));
}

// Threads of a hundred steps: their rings come and go too.
void run_steps(const std::vector<Lane>& lanes, long first, long last, int launches) {
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    others.emplace_back([&, i] {
      for (long step = first; step < last; ++step) launch_some(lanes[i], launches);
    });
  }
  for (long step = first; step < last; ++step) {
    nvtxRangePushA(("step " + std::to_string(step)).c_str());
    launch_some(lanes[0], launches);
    nvtxRangePop();
  }
  for (std::thread& thread : others) thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const int threads = std::atoi(argv[1]), launches = std::atoi(argv[3]);
  const long steps = std::atol(argv[2]), samples = std::atol(argv[4]);
  const long every = steps / samples > 0 ? steps / samples : 1;
  std::vector<Lane> lanes;
  for (int i = 0; i < threads; ++i) lanes.push_back(make_lane());
  const auto begin = std::chrono::steady_clock::now();
  for (long step = 0; step < steps; step += every) {
    const long last = step + every < steps ? step + every : steps;
    run_steps(lanes, step, last, launches);
    sample("steps", last, begin);
  }
  return 0;
}
