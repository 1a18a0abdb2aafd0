// SPDX-License-Identifier: Apache-2.0
#include "kernels/coded_adam/coded_adam.hpp"
#include "kernels/common/checks.hpp"
#include "kernels/fused_adam/fused_adam.hpp"
#include "kernels/sparse_decoder/validate_parts.hpp"

namespace stepscope::kernels {
namespace {

Status validate_coded_state(const CodedAdamState& state) {
  if (!aligned_to(state.parameters, 16))
    return Status::bad_argument("parameters", "must point to numbers, aligned to 16 bytes");
  if (!aligned_to(state.first_codes, 4))
    return Status::bad_argument("first_codes", "must point to codes, aligned to 4 bytes");
  if (!aligned_to(state.second_codes, 4))
    return Status::bad_argument("second_codes", "must point to codes, aligned to 4 bytes");
  if (!aligned_to(state.scales, 8))
    return Status::bad_argument("scales", "must point to scales, aligned to 8 bytes");
  return {};
}

// Features without a gradient only decay, which no added gradient may disturb.
Status validate_coded_settings(const AdamSettings& settings) {
  if (Status s = validate(settings); !s.ok()) return s;
  if (settings.weight_decay != 0 && settings.decay == WeightDecay::added_to_gradient)
    return Status::bad_argument("weight_decay", "must be 0 or decoupled");
  return {};
}

}  // namespace

Status validate_on_host(const CodedAdam& a) {
  if (Status s = validate_coded_settings(a.settings); !s.ok()) return s;
  if (a.length < 0 || a.length > kMostOfASide)
    return Status::bad_argument("length", "must be 0 to below 2^31");
  if (a.vectors < 0 || a.vectors > kMostOfASide / (coded_blocks(a.length) + 1))
    return Status::bad_argument("vectors", "times blocks must be 0 to below 2^31");
  return {};
}

Status validate(const CodedAdam& a) {
  if (Status s = validate_on_host(a); !s.ok() || a.vectors * a.length == 0) return s;
  if (a.length % 8 != 0) return Status::bad_argument("length", "must be a multiple of 8");
  if (Status s = validate_coded_state(a.state); !s.ok()) return s;
  if (!aligned_to(a.gradients, 16))
    return Status::bad_argument("gradients", "must point to numbers, aligned to 16 bytes");
  return {};
}

Status validate_silent(const CodedAdamDecoder& a) {
  if (Status s = validate_coded_settings(a.settings); !s.ok()) return s;
  if (Status s = validate(a.shape); !s.ok()) return s;
  if (a.shape.weights() == 0) return {};
  if (Status s = validate_coded_state(a.state); !s.ok()) return s;
  return validate_list(a.by_feature, false);
}

Status validate(const CodedAdamDecoder& a) {
  if (Status s = validate_silent(a); !s.ok() || a.shape.weights() == 0) return s;
  if (Status s = validate_list(a.by_feature, true); !s.ok()) return s;
  return validate_rows(a.output_gradients, a.shape);
}

}  // namespace stepscope::kernels
