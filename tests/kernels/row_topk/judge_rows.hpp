// SPDX-License-Identifier: Apache-2.0
// Judges some rows of an answer whose matrix the host need not hold.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/common/device_buffer.hpp"
#include "kernels/row_topk/row_topk_reference.hpp"

namespace stepscope::kernels {

template <class T>
std::vector<T> from_device(const void* memory, std::size_t size) {
  std::vector<T> values(size);
  cuda_check(cudaMemcpy(values.data(), memory, size * sizeof(T), cudaMemcpyDeviceToHost),
             "cudaMemcpy");
  return values;
}

// Whether every `step`-th row, from row 0 on, has the reference's columns. The arguments are those
// of a call that is done.
inline bool rows_are_right(const RowTopkArguments& arguments, std::int64_t step) {
  const auto row_bytes = static_cast<std::size_t>(arguments.columns) * bytes_of(arguments.key_type);
  std::vector<std::uint32_t> considered;
  if (arguments.considered != nullptr)
    considered = from_device<std::uint32_t>(
        arguments.considered, static_cast<std::size_t>(mask_words_per_row(arguments.columns)));
  for (std::int64_t row = 0; row < arguments.rows; row += step) {
    const std::vector<std::byte> keys = from_device<std::byte>(
        static_cast<const std::byte*>(arguments.keys) + static_cast<std::size_t>(row) * row_bytes,
        row_bytes);
    RowTopkArguments one = arguments;
    one.keys = keys.data();
    one.rows = 1;
    if (!considered.empty()) one.considered = considered.data();
    const std::vector<std::int32_t> columns = from_device<std::int32_t>(
        arguments.columns_out + row * arguments.count, static_cast<std::size_t>(arguments.count));
    if (columns != row_topk_reference(one).columns) return false;
  }
  return true;
}

}  // namespace stepscope::kernels
