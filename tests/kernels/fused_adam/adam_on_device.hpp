// SPDX-License-Identifier: Apache-2.0
// Adam's state in device memory, with a made past, and the bound of one step's rounding.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/common/device_buffer.hpp"
#include "kernels/common/float_bits.hpp"
#include "kernels/common/stream.hpp"
#include "kernels/fused_adam/fused_adam.hpp"
#include "kernels/fused_adam/fused_adam_reference.hpp"
#include "tests/kernels/support/gpu_found.hpp"
#include "tests/kernels/support/small_shapes.hpp"

namespace stepscope::kernels {

// fp32 numbers as doubles: normal ones, or squares of such.
inline std::vector<double> made_floats(std::size_t count, std::uint32_t seed, bool squares) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<double> numbers(count);
  for (double& number : numbers) {
    const float value = normal(random);
    number = squares ? value * value : value;
  }
  return numbers;
}

// Every seventh parameter has no past.
inline HostAdamState made_state(std::size_t count) {
  HostAdamState state{made_floats(count, 1, false), made_floats(count, 2, false),
                      made_floats(count, 3, true)};
  for (std::size_t i = 0; i < count; i += 7) state.first_moments[i] = state.second_moments[i] = 0;
  return state;
}

inline std::vector<float> as_floats(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

class AdamOnDevice {
 public:
  explicit AdamOnDevice(const HostAdamState& state)
      : parameters_(as_floats(state.parameters)),
        first_(as_floats(state.first_moments)),
        second_(as_floats(state.second_moments)),
        copy_(state.parameters.size()) {
    copy_.fill_bytes(0xa5);
  }
  AdamState state() const {
    return {parameters_.data(), first_.data(), second_.data(), copy_.data()};
  }
  std::vector<float> parameters() const { return parameters_.to_host(); }
  std::vector<float> first_moments() const { return first_.to_host(); }
  std::vector<float> second_moments() const { return second_.to_host(); }
  std::vector<std::uint16_t> copy_bits() const {
    std::vector<std::uint16_t> bits;
    for (const Bfloat16 value : copy_.to_host()) bits.push_back(value.bits);
    return bits;
  }
  bool same_bits(const AdamOnDevice& other) const {
    return parameters() == other.parameters() && first_moments() == other.first_moments() &&
           second_moments() == other.second_moments() && copy_bits() == other.copy_bits();
  }

 private:
  DeviceBuffer<float> parameters_, first_, second_;
  DeviceBuffer<Bfloat16> copy_;
};

// What rounding of each operation of one step, half a unit u of the last place, may add up to.
// gradient_error: how far the gradient itself may be from the reference's.
struct StepBound {
  double first = 0, second = 0, parameter = 0;

  StepBound(const AdamSettings& s, double parameter_before, double first_before, double gradient,
            const HostAdamState& after, std::size_t i, double gradient_error) {
    const double u = std::ldexp(1.0, -24);
    const double l2 = s.decay == WeightDecay::added_to_gradient ? s.weight_decay : 0;
    const double gradient_size = std::abs(gradient) + l2 * std::abs(parameter_before);
    const double error = gradient_error + 3 * u * gradient_size;
    first = error + 4 * u * (gradient_size + std::abs(first_before));
    const double square = after.second_moments[i];
    second = 5 * u * square + (1 - s.beta2) * 2 * (gradient_size + error) * error;
    const auto step = static_cast<double>(s.step);
    const double scale = 1 / std::sqrt(1 - std::pow(s.beta2, step));
    const double root = std::sqrt(square) * scale + s.epsilon;
    const double root_error =
        std::min(std::sqrt(second), square > 0 ? second / std::sqrt(square) : INFINITY) * scale +
        4 * u * root;
    const double size = s.learning_rate / (1 - std::pow(s.beta1, step));
    const double mean = std::abs(after.first_moments[i]);
    const double least_root = std::max(root - root_error, s.epsilon);
    const double update_error =
        size * (first / least_root + mean * root_error / (root * least_root)) +
        4 * u * size * mean / root;
    parameter = update_error + 3 * u * (std::abs(parameter_before) + size * mean / root);
  }
};

// One step from `before` by `gradients`; `updated` as the reference takes it.
inline void expect_step(const AdamOnDevice& found, const HostAdamState& before,
                        const std::vector<double>& gradients, const AdamSettings& settings,
                        const std::string& what, const std::vector<std::uint8_t>& updated = {},
                        const std::vector<double>& gradient_errors = {}) {
  HostAdamState after = before;
  adam_reference(after, gradients, settings, updated);
  const std::vector<float> parameters = found.parameters();
  const std::vector<float> first = found.first_moments();
  const std::vector<float> second = found.second_moments();
  const std::vector<std::uint16_t> copy = found.copy_bits();
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!updated.empty() && updated[i] == 0) {
      ASSERT_EQ(parameters[i], static_cast<float>(before.parameters[i])) << what << " at " << i;
      ASSERT_EQ(first[i], static_cast<float>(before.first_moments[i])) << what << " at " << i;
      ASSERT_EQ(copy[i], 0xa5a5U) << what << " at " << i;
      continue;
    }
    const StepBound bound(settings, before.parameters[i], before.first_moments[i], gradients[i],
                          after, i, gradient_errors.empty() ? 0 : gradient_errors[i]);
    ASSERT_LE(std::abs(first[i] - after.first_moments[i]), bound.first) << what << " at " << i;
    ASSERT_LE(std::abs(second[i] - after.second_moments[i]), bound.second) << what << " at " << i;
    ASSERT_LE(std::abs(parameters[i] - after.parameters[i]), bound.parameter)
        << what << " at " << i;
    ASSERT_EQ(copy[i], to_bfloat16(parameters[i]).bits) << what << " at " << i;
  }
}

inline std::vector<AdamSettings> settings_to_test() {
  std::vector<AdamSettings> all;
  for (const WeightDecay decay : {WeightDecay::added_to_gradient, WeightDecay::decoupled})
    for (const std::int64_t step : {1, 2, 37, 100000})
      all.push_back({1e-2, 0.9, 0.999, 1e-8, step == 2 ? 0.0 : 0.1, decay, step});
  return all;
}

}  // namespace stepscope::kernels
