// SPDX-License-Identifier: Apache-2.0
// Device time of what a function enqueues, with a cold L2 (l2_flush.hpp) or with what was enqueued
// ahead of it there. One repetition at a time: with 16 of them in the queue an H100's launches cost
// 0.5 us more, and the same kernels took 42.1 or 43.3 us by what had run before them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/common/device_buffer.hpp"
#include "kernels/common/event.hpp"
#include "kernels/common/launch.cuh"
#include "kernels/common/stream.hpp"
#include "tests/bench/kernels/l2_flush.hpp"

namespace stepscope::kernels {

using Enqueue = std::function<void(cudaStream_t)>;
inline void enqueue_nothing(cudaStream_t) {}

class ColdTimer {
 public:
  ColdTimer(const Stream& stream, std::size_t repetitions)
      : stream_(stream), begin_(repetitions), end_(repetitions) {
    cuda_check(DeviceLimits::of_current(&device_), "cudaDeviceGetAttribute");
  }

  const DeviceLimits& device() const { return device_; }

  // Microseconds of each repetition. Ten times unrecorded first; `before` is enqueued ahead of
  // each, untimed, and behind it the L2 is made cold.
  std::vector<double> times_us(const Enqueue& enqueue, const Enqueue& before = enqueue_nothing,
                               bool cold = true) {
    const cudaStream_t stream = stream_.get();
    for (int i = 0; i < 10; ++i) {
      before(stream);
      enqueue(stream);
    }
    for (std::size_t i = 0; i < begin_.size(); ++i) {
      before(stream);
      if (cold) flush_.enqueue(stream);
      begin_[i].record(stream);
      enqueue(stream);
      end_[i].record(stream);
      stream_.synchronize();
    }
    std::vector<double> times;
    for (std::size_t i = 0; i < begin_.size(); ++i)
      times.push_back(microseconds_between(begin_[i], end_[i]));
    return times;
  }

 private:
  const Stream& stream_;
  const L2Flush flush_;
  DeviceLimits device_;
  std::vector<Event> begin_, end_;
};

// What a function enqueues, as a graph.
class Replay {
 public:
  Replay(const Enqueue& enqueue, cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
               "cudaStreamBeginCapture");
    enqueue(stream);
    cuda_check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    const cudaError_t code = cudaGraphInstantiate(&executable, graph, 0);
    (void)cudaGraphDestroy(graph);
    cuda_check(code, "cudaGraphInstantiate");
    executable_.reset(executable);
  }

  void operator()(cudaStream_t stream) const {
    cuda_check(cudaGraphLaunch(executable_.get(), stream), "cudaGraphLaunch");
  }

 private:
  struct Destroy {
    void operator()(cudaGraphExec_t executable) const { (void)cudaGraphExecDestroy(executable); }
  };
  std::unique_ptr<CUgraphExec_st, Destroy> executable_;
};

}  // namespace stepscope::kernels
