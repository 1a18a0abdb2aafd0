// SPDX-License-Identifier: Apache-2.0
// Host memory for tensors of one size, given out again once nobody holds it any more. Fresh memory
// costs a page fault for every 4 KiB: more time than filling it takes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace stepscope::trainers {

class RecycledMemory {
 public:
  // pinned: memory that a GPU copies from by itself; LibTorch recycles that, behind the copies.
  RecycledMemory(at::ScalarType type, bool pinned) : type_(type), pinned_(pinned) {}

  // Flat; `size` is the same each time.
  at::Tensor take(std::int64_t size);

 private:
  at::ScalarType type_;
  bool pinned_;
  std::vector<at::Tensor> all_;
};

}  // namespace stepscope::trainers
