// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/recycled_memory.hpp"

#include <ATen/ops/empty.h>

namespace stepscope::trainers {

at::Tensor RecycledMemory::take(std::int64_t size) {
  const auto options = at::TensorOptions(type_).pinned_memory(pinned_);
  if (pinned_) return at::empty({size}, options);
  for (const at::Tensor& memory : all_) {
    // A tensor of its own, since the one that is kept here is shared with nobody.
    if (memory.storage().use_count() == 1) return memory.alias();
  }
  return all_.emplace_back(at::empty({size}, options)).alias();
}

}  // namespace stepscope::trainers
