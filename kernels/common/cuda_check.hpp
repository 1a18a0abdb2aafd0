// SPDX-License-Identifier: Apache-2.0
// CUDA's return codes. The owners beside this file and programs throw, since there a failed call is
// a programming error or an exhausted device; kernels' host functions return a Status instead.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "kernels/common/status.hpp"

namespace stepscope::kernels {

class CudaError : public std::runtime_error {
 public:
  CudaError(const char* call, cudaError_t code)
      : std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code)) {}
};

inline void cuda_check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  (void)cudaGetLastError();  // not sticky: the next call starts clean
  throw CudaError(call, code);
}

inline Status cuda_status(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return {};
  (void)cudaGetLastError();
  return Status::cuda_error(call, cudaGetErrorString(code));
}

}  // namespace stepscope::kernels
