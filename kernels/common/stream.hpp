// SPDX-License-Identifier: Apache-2.0
// Owner of a CUDA stream that does not wait for the default stream.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "kernels/common/cuda_check.hpp"

namespace stepscope::kernels {

class Stream {
 public:
  Stream() {
    cudaStream_t stream = nullptr;
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    stream_.reset(stream);
  }

  cudaStream_t get() const { return stream_.get(); }
  void synchronize() const { cuda_check(cudaStreamSynchronize(get()), "cudaStreamSynchronize"); }

 private:
  struct Destroy {
    void operator()(cudaStream_t stream) const { (void)cudaStreamDestroy(stream); }
  };
  std::unique_ptr<CUstream_st, Destroy> stream_;
};

}  // namespace stepscope::kernels
