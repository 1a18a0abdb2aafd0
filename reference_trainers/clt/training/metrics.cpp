// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/training/metrics.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/log10.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cstddef>

namespace stepscope::clt {
namespace {

double mean_variance(const at::Tensor& values) {
  return values.var(0, /*unbiased=*/false).mean().item<double>();
}

double ratio(double part, double whole) {
  return whole > 1e-9 ? part / whole : (part > 1e-9 ? 1.0 : 0.0);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// log10 of each feature's density, as a list on the host.
void append_log_density(const at::Tensor& activations, std::vector<double>& all) {
  const at::Tensor density = (activations > 1e-6).to(at::kFloat).mean(0);
  const at::Tensor host = at::log10(density + 1e-10).cpu();
  const float* values = host.const_data_ptr<float>();
  all.insert(all.end(), values, values + host.numel());
}

// ratio(), without reading.
at::Tensor device_ratio(const at::Tensor& part, const at::Tensor& whole) {
  return at::where(whole > 1e-9, part / whole, (part > 1e-9).to(at::kFloat));
}

at::Tensor device_variance(const at::Tensor& values) {
  return values.var(0, /*unbiased=*/false).mean();
}

// l0, nmse, unexplained, log density, each a scalar of one layer.
std::vector<at::Tensor> layer_sums(const at::Tensor& activations, const at::Tensor& prediction,
                                   const at::Tensor& target) {
  const at::Tensor variance = device_variance(target);
  const at::Tensor density = (activations > 1e-6).to(at::kFloat).mean(0);
  return {(activations != 0).to(at::kFloat).sum(-1).mean(),
          device_ratio(at::mse_loss(prediction, target), variance),
          device_ratio(device_variance(target - prediction), variance),
          at::log10(density + 1e-10).mean()};
}

}  // namespace

Metrics evaluate_on_device(const std::vector<at::Tensor>& activations,
                           const std::vector<at::Tensor>& predictions,
                           const std::vector<at::Tensor>& targets, const at::Tensor& dead) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> values{dead.sum().to(at::kDouble)};
  for (std::size_t layer = 0; layer < activations.size(); ++layer) {
    for (const at::Tensor& sum : layer_sums(activations[layer], predictions[layer], targets[layer]))
      values.push_back(sum.to(at::kDouble));
  }
  const at::Tensor host = at::stack(values).cpu();
  const double* all = host.const_data_ptr<double>();
  Metrics metrics;
  double unexplained = 0;
  metrics.dead = static_cast<std::int64_t>(all[0]);
  const auto layers = static_cast<double>(activations.size());
  for (std::size_t layer = 0; layer < activations.size(); ++layer) {
    const double* of = all + 1 + 4 * layer;
    metrics.l0 += of[0];
    metrics.nmse += of[1] / layers;
    unexplained += of[2] / layers;
    metrics.log_density += of[3] / layers;
  }
  metrics.explained_variance = std::clamp(1 - unexplained, 0.0, 1.0);
  return metrics;
}

Metrics evaluate_on_host(const std::vector<at::Tensor>& activations,
                         const std::vector<at::Tensor>& predictions,
                         const std::vector<at::Tensor>& targets, const at::Tensor& dead) {
  const at::NoGradGuard no_grad;
  Metrics metrics;
  std::vector<double> nmse, unexplained, log_density;
  for (std::size_t layer = 0; layer < activations.size(); ++layer) {
    metrics.l0 += (activations[layer] != 0).to(at::kFloat).sum(-1).mean().item<double>();
    append_log_density(activations[layer], log_density);
    const double variance = mean_variance(targets[layer]);
    nmse.push_back(
        ratio(at::mse_loss(predictions[layer], targets[layer]).item<double>(), variance));
    unexplained.push_back(ratio(mean_variance(targets[layer] - predictions[layer]), variance));
    metrics.dead += dead.select(0, static_cast<std::int64_t>(layer)).sum().item<std::int64_t>();
  }
  metrics.nmse = mean(nmse);
  metrics.explained_variance = std::clamp(1 - mean(unexplained), 0.0, 1.0);
  metrics.log_density = mean(log_density);
  return metrics;
}

}  // namespace stepscope::clt
