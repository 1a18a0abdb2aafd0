// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/data/activation_store.hpp"

#include <ATen/TensorOperators.h>

#include "reference_trainers/clt/data/file_store.hpp"
#include "reference_trainers/clt/data/memory_store.hpp"

namespace stepscope::clt {

at::Tensor Normalisation::apply(const at::Tensor& values) const {
  return (values - mean) / std;
}
at::Tensor Normalisation::undo(const at::Tensor& normalised) const {
  return normalised * std + mean;
}

Result<std::unique_ptr<ActivationStore>> open_activations(const Config& config, at::Device device,
                                                          std::optional<trainers::Span> own) {
  if (!config.data.empty()) return open_file_store(config, device, own);
  return std::unique_ptr<ActivationStore>(
      std::make_unique<MemoryStore>(make_activations(config), config, device, own));
}

}  // namespace stepscope::clt
