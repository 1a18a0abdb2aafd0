// SPDX-License-Identifier: Apache-2.0
// Copies host tensors to a device beside the work of its current stream: on a GPU, on a stream of
// its own. Tensors in pinned memory are copied without the host waiting; LibTorch keeps their
// memory until the copy has been made. On the CPU there is nothing to copy.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <optional>

namespace stepscope::trainers {

class CopyAhead {
 public:
  struct Copy {
    at::Tensor tensor;  // on the device
    std::optional<c10::Event> done;
  };

  explicit CopyAhead(at::Device device);

  Copy begin(const at::Tensor& host) const;
  // Makes what the current stream does from here on come behind the copy.
  at::Tensor end(const Copy& copy) const;

 private:
  at::Device device_;
  std::optional<c10::Stream> stream_;  // only on a GPU
};

}  // namespace stepscope::trainers
