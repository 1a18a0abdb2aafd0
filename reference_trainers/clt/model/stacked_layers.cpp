// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/model/stacked_layers.hpp"

#include <ATen/ops/stack.h>
#include <cstdint>

namespace stepscope::clt {

at::Tensor stacked_layers(const std::vector<at::Tensor>& layers) {
  const at::Tensor& first = layers.front();
  const std::int64_t count = std::ssize(layers);
  for (std::int64_t i = 0; i < count; ++i) {
    const at::Tensor& layer = layers[static_cast<std::size_t>(i)];
    if (!layer.is_alias_of(first) || !layer.is_contiguous() ||
        layer.storage_offset() != first.storage_offset() + i * first.numel())
      return at::stack(layers);
  }
  return first.as_strided({count, first.size(0), first.size(1)}, {first.numel(), first.size(1), 1});
}

}  // namespace stepscope::clt
