// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/step_graph.hpp"

#include <ATen/cuda/CUDAGraph.h>

namespace stepscope::trainers {
namespace {

class CudaStepGraph final : public StepGraph {
 public:
  // Thread-local: the profiler and the thread that makes batches may call CUDA meanwhile.
  void record(const std::function<void()>& step) override {
    graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    step();
    graph_.capture_end();
  }
  void launch() override { graph_.replay(); }

 private:
  at::cuda::CUDAGraph graph_;
};

}  // namespace

std::unique_ptr<StepGraph> make_step_graph() {
  return std::make_unique<CudaStepGraph>();
}

}  // namespace stepscope::trainers
