// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/checks.hpp"
#include "kernels/fused_adam/fused_adam.hpp"
#include "kernels/sparse_decoder/validate_parts.hpp"

namespace stepscope::kernels {
namespace {

constexpr std::int64_t kMostParameters = std::int64_t{1} << 38;

Status validate_state(const AdamState& state) {
  if (!aligned_to(state.parameters, 16))
    return Status::bad_argument("parameters", "must point to numbers, aligned to 16 bytes");
  if (!aligned_to(state.first_moments, 16))
    return Status::bad_argument("first_moments", "must point to numbers, aligned to 16 bytes");
  if (!aligned_to(state.second_moments, 16))
    return Status::bad_argument("second_moments", "must point to numbers, aligned to 16 bytes");
  if (state.copy != nullptr && !aligned_to(state.copy, 16))
    return Status::bad_argument("copy", "must be aligned to 16 bytes");
  return {};
}

Status validate_gradients(const void* gradients, KeyType type) {
  if (type != KeyType::bfloat16 && type != KeyType::float32)
    return Status::bad_argument("gradient_type", "must be bfloat16 or float32");
  if (!aligned_to(gradients, 16))
    return Status::bad_argument("gradients", "must point to numbers, aligned to 16 bytes");
  return {};
}

bool is_beta(double value) {
  return value >= 0 && value < 1;
}

}  // namespace

Status validate(const AdamSettings& settings) {
  if (!(settings.learning_rate >= 0))
    return Status::bad_argument("learning_rate", "must be 0 or more");
  if (!is_beta(settings.beta1)) return Status::bad_argument("beta1", "must be 0 to below 1");
  if (!is_beta(settings.beta2)) return Status::bad_argument("beta2", "must be 0 to below 1");
  if (!(settings.epsilon >= 0)) return Status::bad_argument("epsilon", "must be 0 or more");
  if (!(settings.weight_decay >= 0))
    return Status::bad_argument("weight_decay", "must be 0 or more");
  if (settings.device_step == nullptr && settings.step < 1)
    return Status::bad_argument("step", "must be 1 or more");
  if (settings.device_step != nullptr && !aligned_to(settings.device_step, sizeof(std::int64_t)))
    return Status::bad_argument("device_step", "must be aligned");
  return {};
}

Status validate(const FusedAdam& a) {
  if (Status s = validate(a.settings); !s.ok()) return s;
  if (a.count < 0 || a.count > kMostParameters)
    return Status::bad_argument("count", "must be 0 to 2^38");
  if (a.count == 0) return {};
  if (Status s = validate_state(a.state); !s.ok()) return s;
  return validate_gradients(a.gradients, a.gradient_type);
}

Status validate(const FusedAdamRows& a) {
  if (Status s = validate(a.settings); !s.ok()) return s;
  if (a.row_length < 0 || a.row_length % 4 != 0 || a.row_length > kMostOfASide)
    return Status::bad_argument("row_length", "must be a multiple of 4, 0 to below 2^31");
  if (a.rows < 0 || a.rows * ((a.row_length + 255) / 256) > kMostOfASide)
    return Status::bad_argument("rows", "times pieces of 256 must be 0 to below 2^31");
  if (a.rows * a.row_length == 0) return {};
  if (Status s = validate_state(a.state); !s.ok()) return s;
  if (!aligned_to(a.slots, sizeof(std::int32_t)))
    return Status::bad_argument("slots", "must point to an aligned number a row");
  return validate_gradients(a.gradients, a.gradient_type);
}

Status validate_silent(const FusedAdamDecoder& a) {
  if (Status s = validate(a.settings); !s.ok()) return s;
  if (Status s = validate(a.shape); !s.ok()) return s;
  if (a.shape.weights() == 0) return {};
  if (Status s = validate_state(a.state); !s.ok()) return s;
  return validate_list(a.by_feature, false);
}

Status validate(const FusedAdamDecoder& a) {
  if (Status s = validate_silent(a); !s.ok() || a.shape.weights() == 0) return s;
  if (Status s = validate_list(a.by_feature, true); !s.ok()) return s;
  return validate_rows(a.output_gradients, a.shape);
}

}  // namespace stepscope::kernels
