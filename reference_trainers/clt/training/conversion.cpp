// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/training/conversion.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <vector>

#include "reference_trainers/clt/selection/batch_topk.hpp"
#include "reference_trainers/common/tensor_file.hpp"

namespace stepscope::clt {
namespace {

constexpr std::int64_t kHeldOutBatches = 8;
constexpr const char* kConvertedSchema = "stepscope.clt.jumprelu/1";

void add(Quality& sum, const Config& config, Trainer& trainer, const Batch& batch,
         const at::Tensor& activations) {
  const at::Tensor dead = at::zeros({1}, activations.options().dtype(at::kBool));  // not asked for
  const Metrics of = evaluate_on_device(activations.split(config.features, 1),
                                        trainer.reconstructions(activations), batch.targets, dead);
  sum.l0 += of.l0 / kHeldOutBatches;
  sum.nmse += of.nmse / kHeldOutBatches;
  sum.explained_variance += of.explained_variance / kHeldOutBatches;
}

Result<JumpRelu> calibrate(const Config& config, Trainer& trainer) {
  std::vector<std::vector<at::Tensor>> inputs;
  for (std::int64_t i = 0; i < config.jump_relu_batches; ++i) {
    Result<Batch> batch = trainer.store().next();
    if (!batch) return batch.error();
    inputs.push_back(batch->inputs);
  }
  return to_jump_relu(config, config.jump_relu_batches, [&](std::int64_t batch) {
    return trainer.preactivations(inputs[static_cast<std::size_t>(batch)]);
  });
}

Conversion measure(const Config& config, Trainer& trainer, const JumpRelu& jump_relu,
                   const HeldOut& rows) {
  Conversion conversion{.jump_relu = jump_relu,
                        .measured_tokens = kHeldOutBatches * config.batch,
                        .trained_on = rows.trained_on};
  for (const Batch& batch : rows.batches) {
    const at::Tensor all = trainer.preactivations(batch.inputs);
    const at::Tensor selected =
        all * selection_mask(ranking_keys(all), config.k, config.hierarchical_ranks);
    add(conversion.before, config, trainer, batch, selected);
    add(conversion.after, config, trainer, batch, jump_relu.apply(all));
  }
  return conversion;
}

std::string words(const Quality& quality) {
  return fmt::format("l0 {:.2f}, nmse {:.4f}, explained {:.4f}", quality.l0, quality.nmse,
                     quality.explained_variance);
}

}  // namespace

Result<Conversion> convert(const Config& config, Trainer& trainer) {
  const at::NoGradGuard no_grad;
  const Result<JumpRelu> jump_relu = calibrate(config, trainer);
  if (!jump_relu) return jump_relu.error();
  const Result<HeldOut> rows = trainer.store().held_out(kHeldOutBatches);
  if (!rows) return rows.error();
  return measure(config, trainer, *jump_relu, *rows);
}

std::string summary(const Conversion& conversion) {
  const char* rows = conversion.trained_on ? "tokens, some of which were trained on (--data has no "
                                             "others left behind these steps)"
                                           : "held-out tokens";
  return fmt::format(
      "jumprelu: {} of {} features never selected; on {} {}: as trained {}; JumpReLU {}",
      conversion.jump_relu.never_selected, conversion.jump_relu.thresholds.numel(),
      conversion.measured_tokens, rows, words(conversion.before), words(conversion.after));
}

Status write_thresholds(const std::string& path, const Config& config, const Conversion& conversion,
                        std::int64_t step) {
  const trainers::Dictionary all = trainers::empty_dictionary();
  const auto put = [&](const char* name, const c10::IValue& value) {
    all.insert(c10::IValue(name), value);
  };
  put("schema", kConvertedSchema);
  put("step", step);
  put("seed", static_cast<std::int64_t>(config.seed));
  put("k", config.k);
  put("calibration_batches", config.jump_relu_batches);
  put("thresholds", conversion.jump_relu.thresholds.cpu());
  put("scales", conversion.jump_relu.scales);
  return trainers::write_tensor_file("thresholds", path, all);
}

}  // namespace stepscope::clt
