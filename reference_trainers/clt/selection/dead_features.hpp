// SPDX-License-Identifier: Apache-2.0
// How long each feature has been silent. A feature fires in a step if some token's activation
// exceeds 1e-6 (a kept negative value does not count), and is dead after more than `window` steps
// without firing.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/clt/config.hpp"

namespace stepscope::clt {

class DeadFeatures {
 public:
  DeadFeatures(const Config& config, at::Device device);

  static constexpr double kFires = 1e-6;

  // Activations of one step, a layer each: [batch, features].
  void update(const std::vector<at::Tensor>& activations);
  // Returns which of them fired: boolean [layers, features].
  static at::Tensor fired(const std::vector<at::Tensor>& activations);

  // Takes which features fired in one step: boolean [layers, features].
  void update_fired(const at::Tensor& fired);

  // Boolean [layers, features].
  at::Tensor mask() const;

  // int64 [layers, features]; the object's own, to be saved and restored.
  const at::Tensor& silent_steps() const { return silent_steps_; }

 private:
  at::Tensor silent_steps_;  // int64 [layers, features]
  std::int64_t window_;
};

}  // namespace stepscope::clt
