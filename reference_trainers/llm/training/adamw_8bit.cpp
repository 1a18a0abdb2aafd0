// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/training/adamw_8bit.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "kernels/adamw_8bit/adamw_8bit.hpp"
#include "reference_trainers/llm/model/device_ops.hpp"

namespace stepscope::llm {
namespace {

constexpr std::int64_t kFewest = 4096;

bool stays_in_float(const Parameter& parameter) {
  return !parameter.decays || parameter.tensor.numel() < kFewest;
}

// Both, signed first.
at::Tensor code_tables() {
  const at::Tensor tables = at::empty({2, kernels::kCodes});
  const kernels::DynamicCode signed_code = kernels::signed_dynamic_code();
  const kernels::DynamicCode unsigned_code = kernels::unsigned_dynamic_code();
  auto* to = tables.mutable_data_ptr<float>();
  std::copy(signed_code.begin(), signed_code.end(), to);
  std::copy(unsigned_code.begin(), unsigned_code.end(), to + kernels::kCodes);
  return tables;
}

std::uint8_t code_of_zero(const at::Tensor& table) {
  return kernels::nearest_code(table.const_data_ptr<float>(), 0);
}

}  // namespace

EightBitAdamW::EightBitAdamW(std::vector<Parameter> parameters, const Config& config)
    : FusedAdamW(std::move(parameters), config, stays_in_float) {
  const auto device = parameters_.front().tensor.options().requires_grad(false);
  const at::Tensor tables = code_tables();
  tables_ = tables.to(device.device());
  step_ = at::zeros({}, device);
  rates_ = at::zeros({}, device);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (means_[i].defined()) continue;
    const std::int64_t count = parameters_[i].tensor.numel();
    const std::int64_t blocks = (count + kernels::kQuantisedBlock - 1) / kernels::kQuantisedBlock;
    const auto codes = [&](std::int64_t table) {
      return at::full({count}, code_of_zero(tables.select(0, table)), device.dtype(at::kByte));
    };
    quantised_.push_back(
        {i, codes(0), codes(1), at::zeros({blocks}, device), at::zeros({blocks}, device)});
  }
}

void EightBitAdamW::set_learning_rate(double rate) {
  FusedAdamW::set_learning_rate(rate);
  rates_.fill_(rate);
}

void EightBitAdamW::set_steps(std::int64_t steps) {
  FusedAdamW::set_steps(steps);
  step_.fill_(steps);
  for (const Quantised& one : quantised_) {
    const Parameter& parameter = parameters_[one.place];
    if (parameter.is_copy()) parameter.leaf.detach().copy_(parameter.tensor);
  }
}

void EightBitAdamW::update_others(const std::vector<at::Tensor>& gradients,
                                  const at::Tensor& divisor) {
  step_.add_(1);
  for (const Quantised& one : quantised_) {
    const Parameter& parameter = parameters_[one.place];
    const at::Tensor gradient = gradients[one.place].contiguous();
    TORCH_CHECK(parameter.tensor.is_contiguous() && parameter.leaf.is_contiguous(),
                "adamw_8bit: weights must be contiguous");
    kernels::Adamw8Bit call;
    call.count = parameter.tensor.numel();
    call.parameters = parameter.tensor.mutable_data_ptr<float>();
    call.gradients = gradient.const_data_ptr();
    call.gradient_type = gradient.scalar_type() == at::kFloat ? kernels::KeyType::float32
                                                              : kernels::KeyType::bfloat16;
    if (parameter.is_copy())
      call.copy = static_cast<kernels::Bfloat16*>(parameter.leaf.mutable_data_ptr());
    call.mean_codes = one.mean_codes.mutable_data_ptr<std::uint8_t>();
    call.square_codes = one.square_codes.mutable_data_ptr<std::uint8_t>();
    call.mean_scales = one.mean_scales.mutable_data_ptr<float>();
    call.square_scales = one.square_scales.mutable_data_ptr<float>();
    call.tables = tables_.const_data_ptr<float>();
    call.rate = rates_.const_data_ptr<float>();
    call.step = step_.const_data_ptr<float>();
    call.divisor = divisor.const_data_ptr<float>();
    call.beta1 = static_cast<float>(kBeta1);
    call.beta2 = static_cast<float>(kBeta2);
    call.epsilon = static_cast<float>(kEpsilon);
    call.weight_decay = parameter.decays ? static_cast<float>(weight_decay_) : 0;
    if (parameter.tensor.is_cuda()) {
      device_adamw_8bit(call, parameter.tensor);
    } else {
      const kernels::Status made = kernels::adamw_8bit_reference(call);
      TORCH_CHECK(made.ok(), "adamw_8bit: ", made.message());
    }
  }
}

std::vector<std::pair<std::string, at::Tensor>> EightBitAdamW::state() const {
  auto all = FusedAdamW::state();
  for (const Quantised& one : quantised_) {
    const std::string& name = parameters_[one.place].name;
    all.emplace_back("mean_codes." + name, one.mean_codes);
    all.emplace_back("mean_scales." + name, one.mean_scales);
    all.emplace_back("square_codes." + name, one.square_codes);
    all.emplace_back("square_scales." + name, one.square_scales);
  }
  return all;
}

}  // namespace stepscope::llm
