// SPDX-License-Identifier: Apache-2.0
// Lists of active features as tensors: a line a token, of columns; or a line a column, of tokens.
// Indices rise within a line (kernels/bitmask writes them so).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "kernels/sparse_decoder/sparse_decoder.hpp"
#include "kernels/sparse_decoder/sparse_decoder_reference.hpp"

namespace stepscope::aten {

struct FeatureList {
  at::Tensor offsets;  // int64 [lines + 1]
  at::Tensor indices;  // int32 [entries]
  at::Tensor values;   // [entries]
};

struct ActiveFeatures {
  FeatureList by_token, by_column;
};

// Checks types and devices; `values` may be undefined where a kernel does not read them.
kernels::ActiveFeatures view_of(const FeatureList& list);

// Return the list on the CPU, as the references take it. A list by columns is turned round.
kernels::HostActiveFeatures host_by_token(const FeatureList& by_token);
kernels::HostActiveFeatures host_by_token(const FeatureList& by_column, std::int64_t tokens);

// [tokens, columns]: `values` where the list has an entry, else 0. Entries that the list leaves
// unused, behind its last offset, are left out; nothing is read back from the device.
at::Tensor scattered(const FeatureList& by_token, const at::Tensor& values, std::int64_t columns);

// What by_token's values are in the order of by_column, and each column's sum: float32. Where the
// columns are of so many layers, side by side, `rows` are the tokens of by_column among those of
// all layers, one layer's behind the other's.
struct TurnedValues {
  at::Tensor values, sums, rows;
};
TurnedValues turned(const FeatureList& by_token, const FeatureList& by_column,
                    std::int64_t layers = 1);

// Counts steps in place, int64 [columns]: one more where no value of the column is above the
// threshold, else 0. The list's values: float32.
void count_silent_steps(const FeatureList& by_column, double threshold, const at::Tensor& steps);

// Returns the numbers of a tensor of any type, as doubles.
std::vector<double> host_numbers(const at::Tensor& tensor);
at::Tensor tensor_of(const std::vector<double>& numbers, at::IntArrayRef shape,
                     at::ScalarType type);

}  // namespace stepscope::aten
