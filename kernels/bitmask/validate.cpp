// SPDX-License-Identifier: Apache-2.0
#include "kernels/bitmask/bitmask_outputs.hpp"
#include "kernels/bitmask/list_layout.hpp"
#include "kernels/common/checks.hpp"

namespace stepscope::kernels {

Status validate(const Bitmask& mask) {
  if (Status matrix = validate_matrix(mask.rows, mask.columns); !matrix.ok()) return matrix;
  const bool empty = mask.rows == 0 || mask.columns == 0;
  if (!empty && !aligned_to(mask.words, sizeof(std::uint32_t)))
    return Status::bad_argument("words", "must point to aligned words");
  return {};
}

Status validate(const Bitmask& mask, const BitmaskList& list) {
  if (Status status = validate(mask); !status.ok()) return status;
  if (!aligned_to(list.offsets, sizeof(std::int64_t)))
    return Status::bad_argument("offsets", "must point to an aligned number a line, and one more");
  if (!aligned(list.indices, sizeof(std::int32_t)))
    return Status::bad_argument("indices", "must be aligned");
  if (list.capacity < 0) return Status::bad_argument("capacity", "must be 0 or more");
  if (list.values != nullptr && (list.keys == nullptr || list.indices == nullptr ||
                                 !aligned(list.keys, bytes_of(list.key_type)) ||
                                 !aligned(list.values, bytes_of(list.key_type))))
    return Status::bad_argument("values", "needs keys and indices, aligned to their size");
  if (list.column_addends != nullptr &&
      (list.key_type != KeyType::float32 || !aligned(list.column_addends, sizeof(float))))
    return Status::bad_argument("column_addends", "must be aligned, for float32 keys");
  if (!aligned_to(list.workspace, 256))
    return Status::bad_argument("workspace", "must be aligned to 256 bytes");
  if (list.workspace_bytes < bitmask_list_workspace_bytes(mask, list.lines))
    return Status::bad_argument("workspace_bytes", "is less than bitmask_list_workspace_bytes");
  return {};
}

std::size_t bitmask_list_workspace_bytes(const Bitmask& mask, BitmaskLines lines) {
  return list_layout(lines == BitmaskLines::rows ? mask.rows : mask.columns).bytes;
}

}  // namespace stepscope::kernels
