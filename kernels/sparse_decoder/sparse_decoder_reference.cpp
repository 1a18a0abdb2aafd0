// SPDX-License-Identifier: Apache-2.0
#include "kernels/sparse_decoder/sparse_decoder_reference.hpp"

namespace stepscope::kernels {
namespace {

std::size_t index(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

// use(entry, first weight, first output) for each vector of each listed value.
template <class Use>
void for_each_vector(const SparseDecoderShape& shape, const HostActiveFeatures& active, Use use) {
  for (std::int64_t token = 0; token < shape.tokens; ++token)
    for (std::int64_t entry = active.offsets[index(token)];
         entry < active.offsets[index(token + 1)]; ++entry) {
      const std::int64_t source = active.columns[index(entry)] / shape.features;
      const std::int64_t feature = active.columns[index(entry)] % shape.features;
      for (std::int64_t target = source; target < shape.layers; ++target)
        use(index(entry), index(shape.vector(source, feature, target) * shape.model),
            index((token * shape.layers + target) * shape.model));
    }
}

std::size_t model_of(const SparseDecoderShape& shape) {
  return index(shape.model);
}

}  // namespace

std::vector<double> forward_reference(const SparseDecoderShape& shape,
                                      const HostActiveFeatures& active,
                                      const std::vector<double>& weights,
                                      const std::vector<double>& bias) {
  std::vector<double> outputs(index(shape.tokens * shape.layers * shape.model));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    outputs[i] = bias.empty() ? 0 : bias[i % bias.size()];
  for_each_vector(shape, active, [&](std::size_t entry, std::size_t weight, std::size_t output) {
    for (std::size_t i = 0; i < model_of(shape); ++i)
      outputs[output + i] += active.values[entry] * weights[weight + i];
  });
  return outputs;
}

std::vector<double> activation_gradient_reference(const SparseDecoderShape& shape,
                                                  const HostActiveFeatures& active,
                                                  const std::vector<double>& weights,
                                                  const std::vector<double>& output_gradients) {
  std::vector<double> gradients(active.columns.size());
  for_each_vector(shape, active, [&](std::size_t entry, std::size_t weight, std::size_t output) {
    for (std::size_t i = 0; i < model_of(shape); ++i)
      gradients[entry] += weights[weight + i] * output_gradients[output + i];
  });
  return gradients;
}

std::vector<double> weight_gradient_reference(const SparseDecoderShape& shape,
                                              const HostActiveFeatures& active,
                                              const std::vector<double>& output_gradients) {
  std::vector<double> gradients(index(shape.weights()));
  for_each_vector(shape, active, [&](std::size_t entry, std::size_t weight, std::size_t output) {
    for (std::size_t i = 0; i < model_of(shape); ++i)
      gradients[weight + i] += active.values[entry] * output_gradients[output + i];
  });
  return gradients;
}

std::vector<double> bias_gradient_reference(const SparseDecoderShape& shape,
                                            const std::vector<double>& output_gradients) {
  std::vector<double> gradients(index(shape.layers * shape.model));
  for (std::size_t i = 0; i < output_gradients.size(); ++i)
    gradients[i % gradients.size()] += output_gradients[i];
  return gradients;
}

}  // namespace stepscope::kernels
