// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/model/fp8_matrix.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_mm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <utility>

#include "reference_trainers/llm/model/fp8_calls.hpp"

namespace stepscope::llm {
namespace {

// Numbers from one factor of a product to the next: cuBLASLt takes no address that is not a
// multiple of 16 bytes, and says CUBLAS_STATUS_NOT_SUPPORTED.
constexpr std::int64_t kInverseStride = 4;

at::ScalarType code_type(kernels::Fp8Format format) {
  return format == kernels::Fp8Format::e4m3 ? at::kFloat8_e4m3fn : at::kFloat8_e5m2;
}

at::TensorOptions float_beside(const at::Tensor& tensor) {
  return at::TensorOptions(at::kFloat).device(tensor.device());
}

kernels::KeyType number_type(const at::Tensor& tensor) {
  TORCH_CHECK(tensor.scalar_type() == at::kBFloat16 || tensor.scalar_type() == at::kFloat,
              "fp8 takes float32 or bfloat16, this is ", tensor.scalar_type());
  return tensor.scalar_type() == at::kFloat ? kernels::KeyType::float32
                                            : kernels::KeyType::bfloat16;
}

kernels::Fp8Codes codes_of(const Fp8Matrix& matrix, kernels::Fp8Format format,
                           const at::Tensor& scale, const at::Tensor& amax) {
  return {format, scale.const_data_ptr<float>(),
          static_cast<std::uint8_t*>(matrix.codes.mutable_data_ptr()),
          static_cast<std::uint8_t*>(matrix.transposed.mutable_data_ptr()),
          amax.defined() ? amax.mutable_data_ptr<float>() : nullptr};
}

void quantise(const Fp8Matrix& to, const Fp8Slot& slot, const at::Tensor& rows,
              const at::Tensor& scale, const at::Tensor& amax) {
  TORCH_CHECK(rows.is_contiguous(), "fp8: rows must be contiguous");
  fp8_call(kernels::Fp8Quantise{number_type(rows), rows.size(0), rows.size(1),
                                rows.const_data_ptr(), codes_of(to, slot.format, scale, amax)},
           rows);
}

Fp8Matrix quantised(const Fp8Slot& slot, const at::Tensor& rows, const at::Tensor& scale,
                    const at::Tensor& inverse) {
  Fp8Matrix out = empty_fp8(rows.size(0), rows.size(1), slot.format, rows);
  out.inverse = inverse;
  quantise(out, slot, rows, scale, slot.amax);
  return out;
}

}  // namespace

Fp8Matrix empty_fp8(std::int64_t rows, std::int64_t columns, kernels::Fp8Format format,
                    const at::Tensor& beside) {
  const auto options = at::TensorOptions(code_type(format)).device(beside.device());
  return {at::empty({rows, columns}, options), at::empty({columns, rows}, options), {}};
}

at::Tensor fp8_product(const at::Tensor& a, const at::Tensor& a_inverse, const at::Tensor& b,
                       const at::Tensor& b_inverse, at::ScalarType type, bool fast) {
  if (a.is_cuda()) return at::_scaled_mm(a, b.t(), a_inverse, b_inverse, {}, {}, type, fast);
  const at::Tensor product = at::matmul(a.to(at::kFloat), b.to(at::kFloat).t());
  return product.mul_(a_inverse * b_inverse).to(type);
}

Fp8Scales::Fp8Scales(std::vector<kernels::Fp8Format> formats, std::int64_t length,
                     at::Device device)
    : formats_(std::move(formats)) {
  const auto count = static_cast<std::int64_t>(formats_.size());
  const at::Tensor greatest = at::empty({count}, at::TensorOptions(at::kFloat));
  auto* number = greatest.mutable_data_ptr<float>();
  for (const kernels::Fp8Format format : formats_) *number++ = kernels::layout_of(format).greatest;
  greatest_ = greatest.to(device);
  amax_ = at::zeros({count}, float_beside(greatest_));
  history_ = at::zeros({length, count}, float_beside(greatest_));
  scale_ = at::ones({count}, float_beside(greatest_));
  inverse_ = at::ones({count, kInverseStride}, float_beside(greatest_));
}

void Fp8Scales::update() const {
  fp8_call(
      kernels::Fp8ScaleUpdate{size(), history_.size(0), greatest_.const_data_ptr<float>(),
                              amax_.mutable_data_ptr<float>(), history_.mutable_data_ptr<float>(),
                              scale_.mutable_data_ptr<float>(), inverse_.mutable_data_ptr<float>(),
                              kInverseStride},
      amax_);
}

Fp8Slot Fp8Scales::slot(std::size_t i) const {
  const auto at = static_cast<std::int64_t>(i);
  return {formats_[i], greatest_[at], scale_[at], inverse_[at][0], amax_[at]};
}

void quantise_into(const Fp8Matrix& to, const Fp8Slot& slot, const at::Tensor& rows) {
  quantise(to, slot, rows, slot.scale, {});
}

Fp8Matrix quantised_by(const Fp8Slot& slot, const at::Tensor& rows) {
  return quantised(slot, rows, slot.scale, slot.inverse);
}

Fp8Matrix quantised_by_itself(const Fp8Slot& slot, const at::Tensor& rows) {
  const at::Tensor own =
      at::zeros({2 * kInverseStride}, float_beside(rows));  // amax, scale, .., inverse
  auto* numbers = own.mutable_data_ptr<float>();
  fp8_call(kernels::Fp8Amax{number_type(rows), rows.numel(), rows.const_data_ptr(), numbers}, rows);
  fp8_call(kernels::Fp8ScaleUpdate{1, 0, slot.greatest.const_data_ptr<float>(), numbers, nullptr,
                                   numbers + 1, numbers + kInverseStride},
           rows);
  return quantised(slot, rows, own[1], own[kInverseStride]);
}

Fp8Matrix quantised_swiglu(const Fp8Slot& slot, const at::Tensor& packed) {
  const std::int64_t rows = packed.size(0), width = packed.size(1) / 2;
  Fp8Matrix out = empty_fp8(rows, width, slot.format, packed);
  out.inverse = slot.inverse;
  fp8_call(kernels::Fp8Swiglu{number_type(packed), rows, width, packed.const_data_ptr(),
                              codes_of(out, slot.format, slot.scale, slot.amax)},
           packed);
  return out;
}

Fp8Matrix quantised_swiglu_gradient(const Fp8Slot& slot, const at::Tensor& packed,
                                    const at::Tensor& through) {
  const std::int64_t rows = packed.size(0), width = packed.size(1) / 2;
  Fp8Matrix out = empty_fp8(rows, 2 * width, slot.format, packed);
  out.inverse = slot.inverse;
  fp8_call(kernels::Fp8SwigluGradient{number_type(packed), rows, width, packed.const_data_ptr(),
                                      through.const_data_ptr(),
                                      codes_of(out, slot.format, slot.scale, slot.amax)},
           packed);
  return out;
}

Fp8Matrix quantised_loss_gradient(const Fp8Slot& slot, const at::Tensor& logits,
                                  const at::Tensor& targets, const at::Tensor& losses,
                                  double share) {
  const std::int64_t rows = logits.size(0), width = logits.size(1);
  const at::Tensor flat = targets.contiguous();
  Fp8Matrix out = empty_fp8(rows, width, slot.format, logits);
  const double scale = kernels::fp8_scale(1, kernels::layout_of(slot.format).greatest);
  out.inverse = at::full({}, share / (static_cast<double>(rows) * scale), float_beside(logits));
  fp8_call(
      kernels::Fp8CrossEntropyGradient{number_type(logits), rows, width, logits.const_data_ptr(),
                                       flat.const_data_ptr<std::int64_t>(),
                                       losses.const_data_ptr<float>(),
                                       codes_of(out, slot.format, slot.scale, slot.amax)},
      logits);
  return out;
}

}  // namespace stepscope::llm
