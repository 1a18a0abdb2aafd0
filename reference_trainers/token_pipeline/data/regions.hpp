// SPDX-License-Identifier: Apache-2.0
// Regions of tokens, back to back. A sample is a region with the one before it and the one behind
// it, and is to be given the class of the middle one: sample s has the regions s, s + 1 and s + 2.
//
// A file of them is a dictionary of tensors (common/tensor_file.hpp): schema
// "token_pipeline.regions/1", lengths int64 [regions], tokens int64 [rows], features float32
// [rows, n], labels int64 [regions].
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/token_pipeline/config.hpp"

namespace stepscope::token_pipeline {

inline constexpr std::int64_t kRegionsOfSample = 3;

struct Regions {
  std::vector<std::int64_t> begins;  // the first row of each region, then the number of rows
  at::Tensor tokens;                 // int64 [rows]
  at::Tensor features;               // float32 [rows, features]
  at::Tensor labels;                 // int64 [regions]

  std::int64_t count() const { return static_cast<std::int64_t>(begins.size()) - 1; }
  std::int64_t samples() const { return count() - (kRegionsOfSample - 1); }
  std::int64_t begin_of(std::int64_t region) const {
    return begins[static_cast<std::size_t>(region)];
  }
  std::int64_t length_of(std::int64_t sample) const {
    return begin_of(sample + kRegionsOfSample) - begin_of(sample);
  }
  // The lengths of its three regions.
  std::array<std::int64_t, kRegionsOfSample> parts_of(std::int64_t sample) const;
  // Returns a copy with memory of its own.
  Regions copy() const;
};

// Returns the memory that they take, before they are opened; the file's size, or what will be made.
double data_bytes(const Config& config);

// Opens the file of --data, or makes regions. An Error names the file, and the region or sample
// that the model does not take.
Result<Regions> open_regions(const Config& config);

Regions make_regions(const Config& config);
Status write_regions(const std::string& path, const Regions& regions);

}  // namespace stepscope::token_pipeline
