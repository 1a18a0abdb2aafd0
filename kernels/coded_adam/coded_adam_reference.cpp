// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/coded_adam/coded_adam.hpp"
#include "kernels/fused_adam/adam_update.hpp"

namespace stepscope::kernels {
namespace {

// The numbers of one block in its vector.
struct CodedBlock {
  float* parameters;
  std::uint8_t *first_codes, *second_codes;
  const float* gradients;
  std::int64_t index, count;  // the first parameter's index
};

// Without a processor's own fma, each is a call; the bits are the same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define STEPSCOPE_WITH_FMA __attribute__((target_clones("fma", "default"), flatten))
#else
#define STEPSCOPE_WITH_FMA
#endif

STEPSCOPE_WITH_FMA MomentScales update_block(const CodedBlock& block, const MomentScales& before,
                                             const AdamFactors& factors, std::uint32_t key) {
  float first[kCodedBlock], second[kCodedBlock];
  float greatest_first = 0, greatest_second = 0;
  for (std::int64_t i = 0; i < block.count; ++i) {
    first[i] = first_moment(block.first_codes[i], before.first);
    second[i] = second_moment(block.second_codes[i], before.second);
    adam_update(factors, block.gradients[i], block.parameters[i], first[i], second[i]);
    greatest_first = std::max(greatest_first, std::abs(first[i]));
    greatest_second = std::max(greatest_second, second[i]);
  }
  const MomentScales scales = scales_of(greatest_first, greatest_second);
  const MomentScales per = per_scale(scales);
  for (std::int64_t i = 0; i < block.count; ++i) {
    const std::uint32_t chances =
        rounding_chances(key, static_cast<std::uint32_t>(block.index + i));
    block.first_codes[i] =
        static_cast<std::uint8_t>(first_code_word(first[i], per.first, chances) >> 24);
    block.second_codes[i] =
        static_cast<std::uint8_t>(second_code_word(second[i], per.second, chances) >> 24);
  }
  return scales;
}

void update_vector(const CodedAdam& a, std::int64_t vector, const AdamFactors& factors,
                   std::uint32_t key) {
  const std::int64_t blocks = coded_blocks(a.length);
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t column = block * kCodedBlock, at = vector * a.length + column;
    MomentScales& scales = a.state.scales[vector * blocks + block];
    scales =
        update_block({a.state.parameters + at, a.state.first_codes + at, a.state.second_codes + at,
                      a.gradients + at, at, std::min(kCodedBlock, a.length - column)},
                     scales, factors, key);
  }
}

}  // namespace

Status coded_adam_reference(const CodedAdam& arguments) {
  if (Status good = validate_on_host(arguments); !good.ok()) return good;
  const AdamFactors factors = adam_factors(arguments.settings, arguments.settings.step);
  const std::uint32_t key = rounding_key(arguments.settings.step);
  for (std::int64_t vector = 0; vector < arguments.vectors; ++vector)
    update_vector(arguments, vector, factors, key);
  return {};
}

}  // namespace stepscope::kernels
