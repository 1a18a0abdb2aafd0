// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/metrics.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/log10.h>
#include <ATen/ops/mse_loss.h>

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

}  // namespace

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
