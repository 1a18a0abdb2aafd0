// SPDX-License-Identifier: Apache-2.0
// Runs batch_topk on made keys and brings its answer to the host.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/batch_topk/batch_topk_on.hpp"
#include "kernels/common/device_buffer.hpp"
#include "kernels/common/stream.hpp"
#include "tests/kernels/support/device_keys.hpp"
#include "tests/kernels/support/gpu_found.hpp"

namespace stepscope::kernels {

struct BatchTopkAnswer {
  std::vector<std::uint32_t> mask;
  BatchTopkResult result;
};

// Memory of one call: outputs and workspace, filled with rubbish before each run.
class BatchTopkRun {
 public:
  explicit BatchTopkRun(const BatchTopkArguments& arguments)
      : mask_(static_cast<std::size_t>(arguments.rows * mask_words_per_row(arguments.columns))),
        result_(1),
        workspace_(batch_topk_workspace_bytes(arguments)) {}

  BatchTopkArguments bound(BatchTopkArguments arguments) const {
    arguments.mask = mask_.data();
    arguments.result = result_.data();
    arguments.workspace = workspace_.data();
    arguments.workspace_bytes = workspace_.size();
    return arguments;
  }
  void poison(int byte) const {
    mask_.fill_bytes(byte);
    result_.fill_bytes(byte);
    workspace_.fill_bytes(byte);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  BatchTopkAnswer answer() const { return {mask_.to_host(), result_.to_host().front()}; }
  // Calls with arguments that differ from its own only in how the cut is found.
  BatchTopkAnswer call(const BatchTopkArguments& arguments, const Stream& stream) const {
    poison(0xa5);
    return answer_of(batch_topk(bound(arguments), stream.get()), stream);
  }
  BatchTopkAnswer call_on(const DeviceLimits& device, const BatchTopkArguments& arguments,
                          const Stream& stream) const {
    poison(0xa5);
    return answer_of(batch_topk_on(bound(arguments), device, stream.get()), stream);
  }

 private:
  BatchTopkAnswer answer_of(const Status& status, const Stream& stream) const {
    EXPECT_EQ(status.message(), "");
    stream.synchronize();
    return answer();
  }

  DeviceBuffer<std::uint32_t> mask_;
  DeviceBuffer<BatchTopkResult> result_;
  DeviceBuffer<std::byte> workspace_;
};

inline BatchTopkAnswer run_batch_topk(const BatchTopkArguments& arguments, const Stream& stream) {
  return BatchTopkRun(arguments).call(arguments, stream);
}

}  // namespace stepscope::kernels
