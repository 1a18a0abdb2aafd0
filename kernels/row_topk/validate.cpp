// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>

#include "kernels/common/checks.hpp"
#include "kernels/row_topk/row_topk.hpp"

namespace stepscope::kernels {
namespace {

Status validate_shape(const RowTopkArguments& arguments) {
  if (Status sides = validate_sides(arguments.rows, arguments.columns); !sides.ok()) return sides;
  if (arguments.count > kRowTopkMostCount)
    return Status::bad_argument("count", "must be at most 512");
  return {};
}

Status validate_outputs(const RowTopkArguments& arguments) {
  if (arguments.count > 0 && !aligned_to(arguments.columns_out, sizeof(std::int32_t)))
    return Status::bad_argument("columns_out", "must point to aligned integers");
  if (!aligned(arguments.values, bytes_of(arguments.key_type)))
    return Status::bad_argument("values", "must be aligned to the keys' size");
  if (!aligned(arguments.selected, sizeof(std::int32_t)))
    return Status::bad_argument("selected", "must be aligned");
  if (!aligned(arguments.fired.bits, sizeof(std::uint32_t)))
    return Status::bad_argument("fired.bits", "must be aligned");
  if (!aligned(arguments.fired.counts, sizeof(std::uint32_t)))
    return Status::bad_argument("fired.counts", "must be aligned");
  if (std::isnan(arguments.fired.above))
    return Status::bad_argument("fired.above", "must be a number");
  return {};
}

}  // namespace

Status validate(const RowTopkArguments& arguments) {
  if (Status shape = validate_shape(arguments); !shape.ok()) return shape;
  if (arguments.rows == 0) return {};
  if (arguments.columns > 0 && !aligned_to(arguments.keys, bytes_of(arguments.key_type)))
    return Status::bad_argument("keys", "must point to keys, aligned to their size");
  if (!aligned(arguments.considered, sizeof(std::uint32_t)))
    return Status::bad_argument("considered", "must be aligned");
  return validate_outputs(arguments);
}

}  // namespace stepscope::kernels
