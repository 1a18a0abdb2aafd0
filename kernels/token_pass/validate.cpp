// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/checks.hpp"
#include "kernels/token_pass/token_pass.hpp"

namespace stepscope::kernels {
namespace {

constexpr std::size_t kPieceBytes = 16;

Status validate_rows(std::int64_t rows) {
  if (rows < 1 || rows > kTokenMostRows) return Status::bad_argument("rows", "must be 1 to 16");
  return {};
}

Status validate_piece(const void* pointer, const char* name) {
  if (!aligned_to(pointer, kPieceBytes))
    return Status::bad_argument(name, "must be aligned to 16 bytes");
  return {};
}

}  // namespace

Status validate(const TokenLinear& a) {
  if (Status rows = validate_rows(a.rows); !rows.ok()) return rows;
  if (a.inputs < 256 || a.inputs > kTokenMostInputs || a.inputs % 256 != 0)
    return Status::bad_argument("inputs", "must be a multiple of 256 up to 4096");
  if (a.norm != nullptr && a.inputs > kTokenMostNormInputs)
    return Status::bad_argument("inputs", "must be at most 2048 with norm");
  if (a.outputs < 8 || a.outputs > kMostOfASide || a.outputs % 8 != 0)
    return Status::bad_argument("outputs", "must be a multiple of 8");
  if (a.gelu && a.residual != nullptr)
    return Status::bad_argument("gelu", "must be without a residual");
  if (!aligned(a.norm, kPieceBytes)) return Status::bad_argument("norm", "must be aligned");
  if (!aligned(a.residual, kPieceBytes)) return Status::bad_argument("residual", "must be aligned");
  if (Status x = validate_piece(a.x, "x"); !x.ok()) return x;
  if (Status weights = validate_piece(a.weights, "weights"); !weights.ok()) return weights;
  return validate_piece(a.out, "out");
}

Status validate(const TokenAttention& a) {
  if (Status rows = validate_rows(a.rows); !rows.ok()) return rows;
  if (a.heads < 1 || a.heads > 1024) return Status::bad_argument("heads", "must be 1 to 1024");
  if (a.width < 8 || a.width > 128 || a.width % 8 != 0)
    return Status::bad_argument("width", "must be a multiple of 8 up to 128");
  if (a.positions < 1 || a.positions > kTokenMostPositions)
    return Status::bad_argument("positions", "must be 1 to 4096");
  if (!aligned_to(a.place, sizeof(std::int64_t)))
    return Status::bad_argument("place", "must point to a number");
  if (Status in = validate_piece(a.query_key_value, "query_key_value"); !in.ok()) return in;
  if (Status keys = validate_piece(a.keys, "keys"); !keys.ok()) return keys;
  if (Status values = validate_piece(a.values, "values"); !values.ok()) return values;
  return validate_piece(a.out, "out");
}

}  // namespace stepscope::kernels
