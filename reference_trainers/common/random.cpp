// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/random.hpp"

#include <ATen/CPUGeneratorImpl.h>

namespace stepscope::trainers {

at::Generator seeded_generator(std::uint64_t seed, RandomStream stream) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // spreads neighbouring seeds and streams
  return at::make_generator<at::CPUGeneratorImpl>(seed * kOdd + static_cast<std::uint64_t>(stream));
}

}  // namespace stepscope::trainers
