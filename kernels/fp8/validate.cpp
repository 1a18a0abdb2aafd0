// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/checks.hpp"
#include "kernels/fp8/fp8.hpp"

namespace stepscope::kernels {
namespace {

constexpr std::int64_t kOfASide = 16;

Status validate_sixteens(std::int64_t rows, std::int64_t columns, const char* of_columns) {
  if (rows < 0 || rows % kOfASide != 0 || rows > kMostOfASide)
    return Status::bad_argument("rows", "must be a multiple of 16 below 2^31");
  if (columns < 0 || columns % kOfASide != 0 || columns > kMostOfASide)
    return Status::bad_argument(of_columns, "must be a multiple of 16 below 2^31");
  return validate_matrix(rows, columns);
}

Status validate_numbers(KeyType type, const void* numbers, const char* name) {
  if (type == KeyType::float16) return Status::bad_argument("type", "must be float32 or bfloat16");
  if (!aligned_to(numbers, 16))
    return Status::bad_argument(name, "must be aligned to 16 bytes and not null");
  return {};
}

Status validate_codes(const Fp8Codes& to) {
  if (to.scale == nullptr) return Status::bad_argument("scale", "must not be null");
  if (!aligned_to(to.codes, 8))
    return Status::bad_argument("codes", "must be aligned to 8 bytes and not null");
  if (!aligned(to.transposed, 8))
    return Status::bad_argument("transposed", "must be aligned to 8 bytes");
  return {};
}

}  // namespace

Status validate(const Fp8Quantise& p) {
  if (Status good = validate_sixteens(p.rows, p.columns, "columns"); !good.ok()) return good;
  if (p.rows * p.columns == 0) return {};
  if (Status good = validate_numbers(p.type, p.from, "from"); !good.ok()) return good;
  return validate_codes(p.to);
}

Status validate(const Fp8Swiglu& p) {
  if (Status good = validate_sixteens(p.rows, p.width, "width"); !good.ok()) return good;
  if (p.rows * p.width == 0) return {};
  if (Status good = validate_numbers(p.type, p.packed, "packed"); !good.ok()) return good;
  return validate_codes(p.to);
}

Status validate(const Fp8SwigluGradient& p) {
  if (Status good = validate_sixteens(p.rows, p.width, "width"); !good.ok()) return good;
  if (p.rows * p.width == 0) return {};
  if (Status good = validate_numbers(p.type, p.packed, "packed"); !good.ok()) return good;
  if (Status good = validate_numbers(p.type, p.out_gradient, "out_gradient"); !good.ok())
    return good;
  return validate_codes(p.to);
}

Status validate(const Fp8CrossEntropyGradient& p) {
  if (Status good = validate_sixteens(p.rows, p.width, "width"); !good.ok()) return good;
  if (p.rows * p.width == 0) return {};
  if (Status good = validate_numbers(p.type, p.logits, "logits"); !good.ok()) return good;
  if (p.targets == nullptr || p.losses == nullptr)
    return Status::bad_argument("targets, losses", "must not be null");
  return validate_codes(p.to);
}

Status validate(const Fp8Amax& p) {
  if (p.count < 0 || p.count % 8 != 0)
    return Status::bad_argument("count", "must be a multiple of 8, not below 0");
  if (p.amax == nullptr) return Status::bad_argument("amax", "must not be null");
  return p.count == 0 ? Status{} : validate_numbers(p.type, p.from, "from");
}

Status validate(const Fp8ScaleUpdate& p) {
  if (p.tensors < 0 || p.tensors > kMostOfASide)
    return Status::bad_argument("tensors", "must be 0 to 2^31 - 1");
  if (p.length < 0) return Status::bad_argument("length", "must not be below 0");
  if (p.tensors == 0) return {};
  if (p.greatest == nullptr || p.amax == nullptr || p.scale == nullptr || p.inverse == nullptr ||
      (p.length > 0 && p.history == nullptr))
    return Status::bad_argument("fp8_update_scales", "a pointer is null");
  return {};
}

}  // namespace stepscope::kernels
