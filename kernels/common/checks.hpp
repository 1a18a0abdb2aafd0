// SPDX-License-Identifier: Apache-2.0
// Checks that the argument checks of several calls share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/status.hpp"

namespace stepscope::kernels {

inline constexpr std::int64_t kMostOfASide = (std::int64_t{1} << 31) - 1;  // rows, or columns
inline constexpr std::int64_t kMostEntries = std::int64_t{1} << 33;  // entries of one selection

// Null is aligned.
inline bool aligned(const void* pointer, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

// Null is not.
inline bool aligned_to(const void* pointer, std::size_t bytes) {
  return pointer != nullptr && aligned(pointer, bytes);
}

inline Status validate_sides(std::int64_t rows, std::int64_t columns) {
  if (rows < 0 || rows > kMostOfASide) return Status::bad_argument("rows", "must be 0 to 2^31 - 1");
  if (columns < 0 || columns > kMostOfASide)
    return Status::bad_argument("columns", "must be 0 to 2^31 - 1");
  return {};
}

inline Status validate_matrix(std::int64_t rows, std::int64_t columns) {
  if (Status sides = validate_sides(rows, columns); !sides.ok()) return sides;
  if (columns > 0 && rows > kMostEntries / columns)
    return Status::bad_argument("rows", "times columns must be at most 2^33");
  return {};
}

}  // namespace stepscope::kernels
