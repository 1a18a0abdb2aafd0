// SPDX-License-Identifier: Apache-2.0
// norm_stats.json: mean and standard deviation of each coordinate,
//   { "0": { "inputs": { "mean": [d_model numbers], "std": [...] }, "targets": { ... } }, "1": ...
//   }
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "core/support/result.hpp"

namespace stepscope::trainers {

// Each [2, layers, d_model], inputs then targets, fp32 on the host.
struct NormStats {
  at::Tensor mean, std;
};

// An Error names the file and what does not fit: layers, widths, numbers that are none.
Result<NormStats> read_norm_stats(const std::string& path, std::int64_t layers,
                                  std::int64_t d_model);

Status write_norm_stats(const std::string& path, const NormStats& stats);

}  // namespace stepscope::trainers
