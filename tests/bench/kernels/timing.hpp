// SPDX-License-Identifier: Apache-2.0
// Device time of what a function enqueues, with a cold L2: before each repetition a buffer much
// larger than the L2 is read, so its lines are clean and nothing is left to write back.
#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "kernels/common/event.hpp"
#include "kernels/common/stream.hpp"

namespace stepscope::kernels {

struct Timing {
  double median_us = 0, p99_us = 0, least_us = 0;
};

class Bench {
 public:
  Bench(std::function<void(cudaStream_t)> flush, std::size_t repetitions)
      : flush_(std::move(flush)), begin_(repetitions), end_(repetitions) {}

  cudaStream_t stream() const { return stream_.get(); }

  using Enqueue = std::function<void(cudaStream_t)>;

  // Ten times unrecorded first; `before` is enqueued ahead of each, untimed.
  Timing time(const Enqueue& enqueue, const Enqueue& before = [](cudaStream_t) {}) {
    for (int i = 0; i < 10; ++i) {
      before(stream());
      enqueue(stream());
    }
    for (std::size_t i = 0; i < begin_.size(); ++i) {
      before(stream());
      flush_(stream());
      begin_[i].record(stream());
      enqueue(stream());
      end_[i].record(stream());
      if (i % 16 == 15) stream_.synchronize();  // the queue of launches stays short
    }
    stream_.synchronize();
    std::vector<double> times;
    for (std::size_t i = 0; i < begin_.size(); ++i)
      times.push_back(microseconds_between(begin_[i], end_[i]));
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times[times.size() * 99 / 100], times.front()};
  }

  // The same as one replay of a graph.
  Timing time_graph(const Enqueue& enqueue) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cuda_check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal),
               "cudaStreamBeginCapture");
    enqueue(stream());
    cuda_check(cudaStreamEndCapture(stream(), &graph), "cudaStreamEndCapture");
    cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    const Timing timing = time(
        [&](cudaStream_t on) { cuda_check(cudaGraphLaunch(executable, on), "cudaGraphLaunch"); });
    (void)cudaGraphExecDestroy(executable);
    (void)cudaGraphDestroy(graph);
    return timing;
  }

 private:
  Stream stream_;
  std::function<void(cudaStream_t)> flush_;
  std::vector<Event> begin_, end_;
};

inline void print_timing(const std::string& what, const Timing& timing, double bytes,
                         double best_read_us) {
  std::printf("%-44s %9.2f %9.2f %9.2f %8.2f %8.3f\n", what.c_str(), timing.median_us,
              timing.p99_us, timing.least_us, bytes / timing.median_us * 1e-6,
              timing.median_us / best_read_us);
  std::fflush(stdout);
}

}  // namespace stepscope::kernels
