// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/selection/jump_relu.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "reference_trainers/clt/selection/batch_topk.hpp"

namespace stepscope::clt {
namespace {

constexpr int kMostHalvings = 60;
// Widest scale that is tried; a z-score is at most the root of a batch's tokens.
constexpr double kWidest = 1e9;

// Statistics of all calibration batches, double but for the counts: [layers * features].
struct Statistics {
  at::Tensor least, mean, deviation;
  at::Tensor selected_in;              // batches in which a feature was selected
  std::vector<std::int64_t> selected;  // entries, a layer
};

// Entries of a boolean [tokens, layers * features], a layer.
at::Tensor by_layer(const at::Tensor& mask, std::int64_t layers) {
  return mask.view({mask.size(0), layers, -1}).sum(at::IntArrayRef({0, 2}));
}

std::vector<std::int64_t> on_host(const at::Tensor& counts) {
  const at::Tensor host = counts.cpu();
  const auto* values = host.const_data_ptr<std::int64_t>();
  return {values, values + host.numel()};
}

Statistics measure(const Config& config, std::int64_t batches,
                   const CalibrationBatch& preactivations) {
  Statistics sums;
  at::Tensor selected;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const at::Tensor all = preactivations(batch);
    const at::Tensor keys = ranking_keys(all);
    const at::Tensor mask = selection_mask(keys, config.k, config.hierarchical_ranks);
    const at::Tensor any = mask.any(0);
    const at::Tensor least =
        keys.masked_fill(mask.logical_not(), std::numeric_limits<double>::infinity())
            .amin(0)
            .masked_fill(any.logical_not(), 0)
            .to(at::kDouble);
    const at::Tensor mean = all.mean(0).to(at::kDouble);
    const at::Tensor deviation = all.std(0).to(at::kDouble) + 1e-6;
    const at::Tensor of_layers = by_layer(mask, config.layers);
    const auto add = [batch](at::Tensor& sum, const at::Tensor& value) {
      sum = batch == 0 ? value : sum + value;
    };
    add(sums.least, least);
    add(sums.mean, mean);
    add(sums.deviation, deviation);
    add(sums.selected_in, any.to(at::kLong));
    add(selected, of_layers);
  }
  sums.least = sums.least / sums.selected_in.clamp_min(1);
  sums.mean = sums.mean / batches;
  sums.deviation = sums.deviation / batches;
  sums.selected = on_host(selected);
  return sums;
}

at::Tensor thresholds_of(const Statistics& statistics, const std::vector<double>& scales) {
  const auto layers = static_cast<std::int64_t>(scales.size());
  const at::Tensor host = at::zeros({layers, 1}, at::kDouble);
  std::copy(scales.begin(), scales.end(), host.mutable_data_ptr<double>());
  const auto lines = [layers](const at::Tensor& columns) { return columns.view({layers, -1}); };
  const at::Tensor raw = lines(statistics.mean) + host.to(statistics.mean.device()) *
                                                      lines(statistics.least) *
                                                      lines(statistics.deviation);
  return raw.masked_fill(lines(statistics.selected_in) == 0, kNeverSelected).to(at::kFloat);
}

// Bisection of all layers' scales at once.
class Bisection {
 public:
  Bisection(const Statistics& statistics, std::int64_t batches,
            const CalibrationBatch& preactivations)
      : statistics_(statistics), batches_(batches), preactivations_(preactivations) {
    const std::size_t layers = statistics.selected.size();
    low_.assign(layers, 0);
    high_.assign(layers, std::numeric_limits<double>::infinity());
    scales_.assign(layers, 1);
    best_ = scales_;
    off_by_.assign(layers, std::numeric_limits<std::int64_t>::max());
  }

  const std::vector<double>& run() {
    for (int i = 0; i < kMostHalvings && step(); ++i) {
    }
    return best_;
  }

 private:
  // False where every layer is near enough.
  bool step() {
    const std::vector<std::int64_t> kept = kept_by(thresholds_of(statistics_, scales_));
    bool more = false;
    for (std::size_t layer = 0; layer < kept.size(); ++layer) {
      narrow(layer, kept[layer] - statistics_.selected[layer]);
      more = more || static_cast<double>(off_by_[layer]) >
                         kL0Tolerance * static_cast<double>(statistics_.selected[layer]);
    }
    return more;
  }

  void narrow(std::size_t layer, std::int64_t too_many) {
    if (std::abs(too_many) < off_by_[layer]) {
      off_by_[layer] = std::abs(too_many);
      best_[layer] = scales_[layer];
    }
    (too_many > 0 ? low_ : high_)[layer] = scales_[layer];
    scales_[layer] = std::isinf(high_[layer]) ? std::min(2 * scales_[layer], kWidest)
                                              : (low_[layer] + high_[layer]) / 2;
  }

  std::vector<std::int64_t> kept_by(const at::Tensor& thresholds) const {
    at::Tensor kept;
    for (std::int64_t batch = 0; batch < batches_; ++batch) {
      const at::Tensor over = preactivations_(batch) > thresholds.view({-1});
      const at::Tensor of_layers = by_layer(over, thresholds.size(0));
      kept = batch == 0 ? of_layers : kept + of_layers;
    }
    return on_host(kept);
  }

  const Statistics& statistics_;
  std::int64_t batches_;
  const CalibrationBatch& preactivations_;
  std::vector<double> low_, high_, scales_, best_;
  std::vector<std::int64_t> off_by_;
};

}  // namespace

at::Tensor JumpRelu::apply(const at::Tensor& preactivations) const {
  return preactivations * (preactivations > thresholds.view({-1}));
}

Result<JumpRelu> to_jump_relu(const Config& config, std::int64_t batches,
                              const CalibrationBatch& preactivations) {
  const at::NoGradGuard no_grad;
  const Statistics statistics = measure(config, batches, preactivations);
  const at::Tensor never = statistics.selected_in == 0;
  if ((statistics.least <= 0).logical_and(never.logical_not()).any().item<bool>())
    return bad_input(
        fmt::format("--to-jumprelu: with --k {} of {} features BatchTopK selects values that are "
                    "not above their feature's mean, which no threshold can follow: choose a "
                    "smaller k",
                    config.k, config.layers * config.features));
  const std::vector<double> scales = Bisection(statistics, batches, preactivations).run();
  JumpRelu found{.thresholds = thresholds_of(statistics, scales),
                 .scales = at::zeros({config.layers}, at::kDouble),
                 .never_selected = never.sum().item<std::int64_t>()};
  std::copy(scales.begin(), scales.end(), found.scales.mutable_data_ptr<double>());
  return found;
}

}  // namespace stepscope::clt
