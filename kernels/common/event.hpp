// SPDX-License-Identifier: Apache-2.0
// Owner of a CUDA event that takes times.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "kernels/common/cuda_check.hpp"

namespace stepscope::kernels {

class Event {
 public:
  Event() {
    cudaEvent_t event = nullptr;
    cuda_check(cudaEventCreate(&event), "cudaEventCreate");
    event_.reset(event);
  }

  cudaEvent_t get() const { return event_.get(); }
  void record(cudaStream_t stream) {
    cuda_check(cudaEventRecord(get(), stream), "cudaEventRecord");
  }

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const { (void)cudaEventDestroy(event); }
  };
  std::unique_ptr<CUevent_st, Destroy> event_;
};

// Both recorded; waits for the later one.
inline double microseconds_between(const Event& begin, const Event& end) {
  float milliseconds = 0;
  cuda_check(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
  cuda_check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e3;
}

}  // namespace stepscope::kernels
