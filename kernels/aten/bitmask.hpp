// SPDX-License-Identifier: Apache-2.0
// kernels/bitmask on tensors: what is made of a mask that batch_topk wrote, int32 [rows, words], a
// bit a column. On the CPU: its reference, the same numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "kernels/aten/feature_list.hpp"
#include "kernels/bitmask/bitmask_outputs.hpp"

namespace stepscope::aten {

kernels::Bitmask view_of(const at::Tensor& mask, std::int64_t columns);

// Packs bytes[rows, columns], 0 or 1 each, into words[rows, words], in host memory.
void write_bits(const std::vector<std::uint8_t>& bytes, std::int64_t columns, std::uint32_t* words);

at::Tensor bitmask_to_bool(const at::Tensor& mask, std::int64_t columns);  // [rows, columns]

// values[rows, columns] where the bit is set, else 0. The gradient goes where it is set.
at::Tensor bitmask_keep(const at::Tensor& mask, const at::Tensor& values);

// int32 [rows] and [columns].
at::Tensor bitmask_row_counts(const at::Tensor& mask, std::int64_t columns);
at::Tensor bitmask_column_counts(const at::Tensor& mask, std::int64_t columns);

// The lists with room for so many entries: the bits set, or more. What does not fit is left out.
// column_addends, float32 [columns], may be undefined: are added to listed values, float32 too.
FeatureList bitmask_list(const at::Tensor& mask, const at::Tensor& values,
                         kernels::BitmaskLines lines, std::int64_t entries,
                         const at::Tensor& column_addends = {});

}  // namespace stepscope::aten
