// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/conversion.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <vector>

#include "reference_trainers/clt/batch_topk.hpp"
#include "reference_trainers/clt/made_activations.hpp"
#include "reference_trainers/clt/tensor_file.hpp"

namespace stepscope::clt {
namespace {

constexpr std::int64_t kHeldOutBatches = 8;
constexpr const char* kSchema = "stepscope.clt.jumprelu/1";

std::vector<at::Tensor> rows_of(const std::vector<at::Tensor>& layers, std::int64_t begin,
                                std::int64_t count) {
  std::vector<at::Tensor> rows;
  for (const at::Tensor& layer : layers) rows.push_back(layer.slice(0, begin, begin + count));
  return rows;
}

void add(Quality& sum, const Config& config, Trainer& trainer, const Batch& batch,
         const at::Tensor& activations) {
  const at::Tensor dead = at::zeros({1}, at::kBool);  // not asked for
  const Metrics of = evaluate_on_device(activations.split(config.features, 1),
                                        trainer.reconstructions(activations), batch.targets, dead);
  sum.l0 += of.l0 / kHeldOutBatches;
  sum.nmse += of.nmse / kHeldOutBatches;
  sum.explained_variance += of.explained_variance / kHeldOutBatches;
}

void measure(const Config& config, Trainer& trainer, Conversion& conversion) {
  const MadeActivations made = make_held_out(config, kHeldOutBatches * config.batch);
  for (std::int64_t batch = 0; batch < kHeldOutBatches; ++batch) {
    const std::int64_t begin = batch * config.batch;
    const Batch rows = trainer.store().normalised(
        {rows_of(made.inputs, begin, config.batch), rows_of(made.targets, begin, config.batch)});
    const at::Tensor all = trainer.preactivations(rows.inputs);
    const at::Tensor selected =
        all * selection_mask(ranking_keys(all), config.k, config.hierarchical_ranks);
    add(conversion.before, config, trainer, rows, selected);
    add(conversion.after, config, trainer, rows, conversion.jump_relu.apply(all));
    conversion.held_out_tokens += config.batch;
  }
}

std::string words(const Quality& quality) {
  return fmt::format("l0 {:.2f}, nmse {:.4f}, explained {:.4f}", quality.l0, quality.nmse,
                     quality.explained_variance);
}

}  // namespace

Result<Conversion> convert(const Config& config, Trainer& trainer) {
  const at::NoGradGuard no_grad;
  std::vector<std::vector<at::Tensor>> inputs;
  for (std::int64_t batch = 0; batch < config.jump_relu_batches; ++batch)
    inputs.push_back(trainer.store().next().inputs);
  Result<JumpRelu> jump_relu =
      to_jump_relu(config, config.jump_relu_batches, [&](std::int64_t batch) {
        return trainer.preactivations(inputs[static_cast<std::size_t>(batch)]);
      });
  if (!jump_relu) return jump_relu.error();
  Conversion conversion{.jump_relu = *jump_relu};
  measure(config, trainer, conversion);
  return conversion;
}

std::string summary(const Conversion& conversion) {
  return fmt::format(
      "jumprelu: {} features never selected; on {} held-out tokens: BatchTopK {}; JumpReLU {}",
      conversion.jump_relu.never_selected, conversion.held_out_tokens, words(conversion.before),
      words(conversion.after));
}

Status write_thresholds(const std::string& path, const Config& config, const Conversion& conversion,
                        std::int64_t step) {
  const Dictionary all = empty_dictionary();
  const auto put = [&](const char* name, const c10::IValue& value) {
    all.insert(c10::IValue(name), value);
  };
  put("schema", kSchema);
  put("step", step);
  put("seed", static_cast<std::int64_t>(config.seed));
  put("k", config.k);
  put("calibration_batches", config.jump_relu_batches);
  put("thresholds", conversion.jump_relu.thresholds.cpu());
  put("scales", conversion.jump_relu.scales);
  return write_tensor_file("thresholds", path, all);
}

}  // namespace stepscope::clt
