// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/fp8/fp8.hpp"
#include "kernels/fp8/scale_update.hpp"

namespace stepscope::kernels {
namespace {

float number_at(KeyType type, const void* numbers, std::int64_t index) {
  return type == KeyType::bfloat16 ? to_float(static_cast<const Bfloat16*>(numbers)[index])
                                   : static_cast<const float*>(numbers)[index];
}

// Compares by bits, in which a NaN is the greatest.
void raise_amax(float* amax, float number) {
  const std::uint32_t magnitude = bits_of(number) & 0x7fffffffU;
  if (amax != nullptr && magnitude > bits_of(*amax)) *amax = float_of_bits(magnitude);
}

class CodeWriter {
 public:
  CodeWriter(const Fp8Codes& to, std::int64_t rows, std::int64_t columns)
      : to_(to), rows_(rows), columns_(columns) {}

  void put(std::int64_t row, std::int64_t column, float number) const {
    raise_amax(to_.amax, number);
    const std::uint8_t code = to_fp8(to_.format, number, *to_.scale);
    to_.codes[row * columns_ + column] = code;
    if (to_.transposed != nullptr) to_.transposed[column * rows_ + row] = code;
  }

 private:
  const Fp8Codes& to_;
  const std::int64_t rows_, columns_;
};

double sigmoid_of(double x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

Status fp8_quantise_reference(const Fp8Quantise& p) {
  if (Status good = validate(p); !good.ok()) return good;
  const CodeWriter writer(p.to, p.rows, p.columns);
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (std::int64_t column = 0; column < p.columns; ++column)
      writer.put(row, column, number_at(p.type, p.from, row * p.columns + column));
  return {};
}

Status fp8_swiglu_reference(const Fp8Swiglu& p) {
  if (Status good = validate(p); !good.ok()) return good;
  const CodeWriter writer(p.to, p.rows, p.width);
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (std::int64_t column = 0; column < p.width; ++column) {
      const double gate = number_at(p.type, p.packed, row * 2 * p.width + column);
      const double up = number_at(p.type, p.packed, (row * 2 + 1) * p.width + column);
      writer.put(row, column, static_cast<float>(gate * sigmoid_of(gate) * up));
    }
  return {};
}

Status fp8_swiglu_gradient_reference(const Fp8SwigluGradient& p) {
  if (Status good = validate(p); !good.ok()) return good;
  const CodeWriter writer(p.to, p.rows, 2 * p.width);
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (std::int64_t column = 0; column < p.width; ++column) {
      const double gate = number_at(p.type, p.packed, row * 2 * p.width + column);
      const double up = number_at(p.type, p.packed, (row * 2 + 1) * p.width + column);
      const double through = number_at(p.type, p.out_gradient, row * p.width + column);
      const double s = sigmoid_of(gate);
      writer.put(row, column, static_cast<float>(through * up * (s + gate * s * (1 - s))));
      writer.put(row, p.width + column, static_cast<float>(through * gate * s));
    }
  return {};
}

Status fp8_cross_entropy_gradient_reference(const Fp8CrossEntropyGradient& p) {
  if (Status good = validate(p); !good.ok()) return good;
  const CodeWriter writer(p.to, p.rows, p.width);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const std::int64_t begin = row * p.width;
    const double logarithm =
        static_cast<double>(p.losses[row]) + number_at(p.type, p.logits, begin + p.targets[row]);
    for (std::int64_t column = 0; column < p.width; ++column) {
      const double part = std::exp(number_at(p.type, p.logits, begin + column) - logarithm);
      writer.put(row, column, static_cast<float>(column == p.targets[row] ? part - 1 : part));
    }
  }
  return {};
}

Status fp8_amax_reference(const Fp8Amax& p) {
  if (Status good = validate(p); !good.ok()) return good;
  for (std::int64_t i = 0; i < p.count; ++i) raise_amax(p.amax, number_at(p.type, p.from, i));
  return {};
}

Status fp8_update_scales_reference(const Fp8ScaleUpdate& p) {
  if (Status good = validate(p); !good.ok()) return good;
  for (std::int64_t tensor = 0; tensor < p.tensors; ++tensor) update_scale(p, tensor);
  return {};
}

}  // namespace stepscope::kernels
