// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/random.hpp"

#include <ATen/CPUGeneratorImpl.h>

namespace stepscope::trainers {

at::Generator seeded_generator(std::uint64_t seed, RandomStream stream, std::uint64_t part) {
  // Odd numbers spread neighbouring seeds and parts, in the 32 bits that the generator takes too.
  constexpr std::uint64_t kOfSeed = 0x9E3779B97F4A7C15, kOfPart = 0xC2B2AE3D27D4EB4F;
  return at::make_generator<at::CPUGeneratorImpl>(seed * kOfSeed + part * kOfPart +
                                                  static_cast<std::uint64_t>(stream));
}

}  // namespace stepscope::trainers
