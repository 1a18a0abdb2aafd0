// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/common/checks.hpp"

namespace stepscope::kernels {
namespace {

Status validate_column_keys(const BatchTopkColumnKeys& keys) {
  if (keys.source == KeySource::raw) return {};
  if (!aligned_to(keys.mean, sizeof(float)))
    return Status::bad_argument("column_keys.mean", "must point to a float a column");
  if (!aligned_to(keys.scale, sizeof(float)))
    return Status::bad_argument("column_keys.scale", "must point to a float a column");
  if (keys.source == KeySource::z_score && !(keys.epsilon >= 0))
    return Status::bad_argument("column_keys.epsilon", "must be 0 or more");
  return {};
}

Status validate_outputs(const BatchTopkArguments& arguments) {
  if (!aligned_to(arguments.result, alignof(BatchTopkResult)))
    return Status::bad_argument("result", "must point to an aligned BatchTopkResult");
  if (!aligned(arguments.device_count, alignof(std::int64_t)))
    return Status::bad_argument("device_count", "must be aligned");
  if (!aligned(arguments.warm_start, alignof(BatchTopkWarmStart)))
    return Status::bad_argument("warm_start", "must be aligned");
  if (!aligned_to(arguments.workspace, 256))
    return Status::bad_argument("workspace", "must be aligned to 256 bytes");
  if (arguments.workspace_bytes < batch_topk_workspace_bytes(arguments))
    return Status::bad_argument("workspace_bytes", "is less than batch_topk_workspace_bytes");
  return {};
}

}  // namespace

Status validate(const BatchTopkArguments& arguments) {
  if (Status shape = validate_matrix(arguments.rows, arguments.columns); !shape.ok()) return shape;
  if (arguments.rows > 0 && arguments.columns > 0) {
    if (!aligned_to(arguments.keys, bytes_of(arguments.key_type)))
      return Status::bad_argument("keys", "must point to keys, aligned to their size");
    if (!aligned_to(arguments.mask, sizeof(std::uint32_t)))
      return Status::bad_argument("mask", "must point to aligned words");
    if (Status keys = validate_column_keys(arguments.column_keys); !keys.ok()) return keys;
  }
  return validate_outputs(arguments);
}

}  // namespace stepscope::kernels
