// SPDX-License-Identifier: Apache-2.0
// Writes a store that look_at() and the public reference read (README.md has the format).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope::trainers {

struct NewActivations {
  std::vector<at::Tensor> inputs, targets;  // a layer each: [rows, d_model], fp32, on the host
  at::ScalarType type = at::kFloat;         // as which they are stored
  std::int64_t chunk_rows = 0;              // 0: all rows in one chunk
};

// Rows keep their order, so they must be in no particular one. The folder is made; one that holds
// anything already is an Error, so that no store is ever mixed from two.
Status write_activations(const std::string& folder, const NewActivations& all);

}  // namespace stepscope::trainers
