// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace stepscope::clt {

// [layers, rows, model] of layers that are [rows, model] each: a view where they lie one behind the
// other, as those of a batch on the device do, else a copy.
at::Tensor stacked_layers(const std::vector<at::Tensor>& layers);

}  // namespace stepscope::clt
