// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/adamw_8bit/adamw_8bit.hpp"
#include "kernels/adamw_8bit/update.hpp"
#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels {
namespace {

float gradient_at(const Adamw8Bit& p, std::int64_t i) {
  return p.gradient_type == KeyType::bfloat16
             ? to_float(static_cast<const Bfloat16*>(p.gradients)[i])
             : static_cast<const float*>(p.gradients)[i];
}

void update_block(const Adamw8Bit& p, const Adamw8BitFactors& factors, std::int64_t block) {
  const float *signed_table = p.tables, *unsigned_table = p.tables + kCodes;
  const std::int64_t begin = block * kQuantisedBlock;
  const std::int64_t end = std::min(p.count, begin + kQuantisedBlock);
  float mean[kQuantisedBlock], square[kQuantisedBlock], greatest = 0, greatest_square = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    float &m = mean[i - begin], &v = square[i - begin];
    m = signed_table[p.mean_codes[i]] * p.mean_scales[block];
    v = unsigned_table[p.square_codes[i]] * p.square_scales[block];
    update_one(p, factors, gradient_at(p, i), p.parameters[i], m, v);
    greatest = std::max(greatest, std::abs(m));
    greatest_square = std::max(greatest_square, v);
    if (p.copy != nullptr) p.copy[i] = to_bfloat16(p.parameters[i]);
  }
  const float per_mean = greatest > 0 ? 1 / greatest : 0;
  const float per_square = greatest_square > 0 ? 1 / greatest_square : 0;
  for (std::int64_t i = begin; i < end; ++i) {
    p.mean_codes[i] = nearest_code(signed_table, mean[i - begin] * per_mean);
    p.square_codes[i] = nearest_code(unsigned_table, square[i - begin] * per_square);
  }
  p.mean_scales[block] = greatest;
  p.square_scales[block] = greatest_square;
}

}  // namespace

Status validate(const Adamw8Bit& p) {
  if (p.count < 0) return Status::bad_argument("count", "must not be below 0");
  if (p.gradient_type == KeyType::float16)
    return Status::bad_argument("gradient_type", "must be float32 or bfloat16");
  const bool all = p.parameters != nullptr && p.gradients != nullptr && p.mean_codes != nullptr &&
                   p.square_codes != nullptr && p.mean_scales != nullptr &&
                   p.square_scales != nullptr && p.tables != nullptr && p.rate != nullptr &&
                   p.step != nullptr;
  if (!all) return Status::bad_argument("adamw_8bit", "a pointer is null");
  return {};
}

Status adamw_8bit_reference(const Adamw8Bit& arguments) {
  if (Status good = validate(arguments); !good.ok()) return good;
  const Adamw8BitFactors factors = factors_of(arguments);
  for (std::int64_t block = 0; block < arguments.blocks(); ++block)
    update_block(arguments, factors, block);
  return {};
}

}  // namespace stepscope::kernels
