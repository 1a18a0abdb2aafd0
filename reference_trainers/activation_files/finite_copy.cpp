// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/finite_copy.hpp"

namespace stepscope::trainers {
namespace {

// Infinities and NaN have an exponent of ones alone. No branch in the loop, so that it vectorises.
template <class Code>
bool copy(const void* from, std::int64_t count, void* to, Code exponent) {
  const auto* in = static_cast<const Code*>(from);
  auto* out = static_cast<Code*>(to);
  Code any = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Code code = in[i];
    out[i] = code;
    any = static_cast<Code>(any | static_cast<Code>((code & exponent) == exponent));
  }
  return any == 0;
}

}  // namespace

bool copy_finite(at::ScalarType type, const void* from, std::int64_t count, void* to) {
  constexpr std::uint32_t kSingle = 0x7f800000;
  constexpr std::uint16_t kHalf = 0x7c00, kBrain = 0x7f80;
  if (type == at::kFloat) return copy(from, count, to, kSingle);
  return copy(from, count, to, type == at::kHalf ? kHalf : kBrain);
}

}  // namespace stepscope::trainers
