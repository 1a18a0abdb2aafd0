// SPDX-License-Identifier: Apache-2.0
#include "kernels/token_pass/token_pass_reference.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels {
namespace {

double token_number(const void* numbers, std::int64_t at) {
  return to_float(static_cast<const Bfloat16*>(numbers)[at]);
}

std::vector<double> inputs_of_row(const TokenLinear& a, std::int64_t row) {
  std::vector<double> x;
  for (std::int64_t k = 0; k < a.inputs; ++k) x.push_back(token_number(a.x, row * a.inputs + k));
  if (a.norm == nullptr) return x;
  const auto inputs = static_cast<double>(a.inputs);
  double mean = 0, squares = 0;
  for (const double number : x) mean += number / inputs;
  for (const double number : x) squares += (number - mean) * (number - mean) / inputs;
  const double scale = 1 / std::sqrt(squares + static_cast<double>(a.epsilon));
  for (std::int64_t k = 0; k < a.inputs; ++k) {
    double& number = x[static_cast<std::size_t>(k)];
    number = to_float(
        to_bfloat16(static_cast<float>((number - mean) * scale * token_number(a.norm, k))));
  }
  return x;
}

}  // namespace

std::vector<double> token_linear_reference(const TokenLinear& a) {
  std::vector<double> out;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const std::vector<double> x = inputs_of_row(a, row);
    for (std::int64_t output = 0; output < a.outputs; ++output) {
      double sum = 0;
      for (std::int64_t k = 0; k < a.inputs; ++k)
        sum += x[static_cast<std::size_t>(k)] * token_number(a.weights, output * a.inputs + k);
      if (a.residual != nullptr) sum += token_number(a.residual, row * a.outputs + output);
      out.push_back(a.gelu ? sum * 0.5 * (1 + std::erf(sum * std::sqrt(0.5))) : sum);
    }
  }
  return out;
}

std::vector<double> token_attention_reference(const TokenAttention& a) {
  std::vector<double> out;
  for (std::int64_t line = 0; line < a.rows * a.heads; ++line) {
    const std::int64_t own = (3 * (line / a.heads) * a.heads + line % a.heads) * a.width;
    const std::int64_t cached = line * a.positions * a.width;
    std::vector<double> scores;
    for (std::int64_t t = 0; t <= *a.place; ++t) {
      double sum = 0;
      for (std::int64_t k = 0; k < a.width; ++k)
        sum += token_number(a.query_key_value, own + k) *
               token_number(a.keys, cached + t * a.width + k);
      scores.push_back(sum / std::sqrt(static_cast<double>(a.width)));
    }
    const double greatest = *std::max_element(scores.begin(), scores.end());
    double all = 0;
    for (double& score : scores) all += score = std::exp(score - greatest);
    for (std::int64_t k = 0; k < a.width; ++k) {
      double sum = 0;
      for (std::int64_t t = 0; t <= *a.place; ++t)
        sum += scores[static_cast<std::size_t>(t)] / all *
               token_number(a.values, cached + t * a.width + k);
      out.push_back(sum);
    }
  }
  return out;
}

}  // namespace stepscope::kernels
