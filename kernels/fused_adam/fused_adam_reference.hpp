// SPDX-License-Identifier: Apache-2.0
// Adam on the host in double precision, a parameter after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/fused_adam/adam_settings.hpp"

namespace stepscope::kernels {

struct HostAdamState {
  std::vector<double> parameters, first_moments, second_moments;
};

// settings.step counts. Where `updated` is given, parameters whose entry is 0 are left alone (lazy
// Adam).
void adam_reference(HostAdamState& state, const std::vector<double>& gradients,
                    const AdamSettings& settings, const std::vector<std::uint8_t>& updated = {});

}  // namespace stepscope::kernels
