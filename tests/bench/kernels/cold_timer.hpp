// SPDX-License-Identifier: Apache-2.0
// Device time of what a function enqueues, with a cold L2: before each repetition a buffer much
// larger than the L2 is read, so its lines are clean and nothing is left to write back.
#pragma once

#include <functional>
#include <vector>

#include "kernels/common/device_buffer.hpp"
#include "kernels/common/event.hpp"
#include "kernels/common/stream.hpp"
#include "tests/bench/kernels/read_only.hpp"

namespace stepscope::kernels {

using Enqueue = std::function<void(cudaStream_t)>;
inline void enqueue_nothing(cudaStream_t) {}

class ColdTimer {
 public:
  ColdTimer(const Stream& stream, std::size_t repetitions)
      : stream_(stream), flushed_(kFlushBytes), sink_(1), begin_(repetitions), end_(repetitions) {
    flushed_.fill_bytes(1);
    cuda_check(DeviceLimits::of_current(&device_), "cudaDeviceGetAttribute");
  }

  const DeviceLimits& device() const { return device_; }

  // Microseconds of each repetition. Ten times unrecorded first; `before` is enqueued ahead of
  // each, untimed.
  std::vector<double> times_us(const Enqueue& enqueue, const Enqueue& before = enqueue_nothing) {
    const cudaStream_t stream = stream_.get();
    for (int i = 0; i < 10; ++i) {
      before(stream);
      enqueue(stream);
    }
    for (std::size_t i = 0; i < begin_.size(); ++i) {
      before(stream);
      flush_.enqueue(flushed_.data(), kFlushBytes, sink_.data(), device_, stream);
      begin_[i].record(stream);
      enqueue(stream);
      end_[i].record(stream);
      if (i % 16 == 15) stream_.synchronize();  // the queue of launches stays short
    }
    stream_.synchronize();
    std::vector<double> times;
    for (std::size_t i = 0; i < begin_.size(); ++i)
      times.push_back(microseconds_between(begin_[i], end_[i]));
    return times;
  }

 private:
  static constexpr std::size_t kFlushBytes = std::size_t{256} << 20;
  const Stream& stream_;
  const DeviceBuffer<std::byte> flushed_;
  const DeviceBuffer<unsigned> sink_;
  const ReadOnlyKernel flush_ = read_only_kernels().front();
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
