// SPDX-License-Identifier: Apache-2.0
#include "kernels/fused_adam/fused_adam_reference.hpp"

namespace stepscope::kernels {
namespace {

void update(double& parameter, double& first, double& second, double gradient,
            const AdamSettings& s) {
  if (s.decay == WeightDecay::decoupled)
    parameter -= s.learning_rate * s.weight_decay * parameter;
  else
    gradient += s.weight_decay * parameter;
  first = s.beta1 * first + (1 - s.beta1) * gradient;
  second = s.beta2 * second + (1 - s.beta2) * gradient * gradient;
  const auto step = static_cast<double>(s.step);
  const double mean = first / (1 - std::pow(s.beta1, step));
  const double square = second / (1 - std::pow(s.beta2, step));
  parameter -= s.learning_rate * mean / (std::sqrt(square) + s.epsilon);
}

}  // namespace

void adam_reference(HostAdamState& state, const std::vector<double>& gradients,
                    const AdamSettings& settings, const std::vector<std::uint8_t>& updated) {
  for (std::size_t i = 0; i < gradients.size(); ++i)
    if (updated.empty() || updated[i] != 0)
      update(state.parameters[i], state.first_moments[i], state.second_moments[i], gradients[i],
             settings);
}

}  // namespace stepscope::kernels
