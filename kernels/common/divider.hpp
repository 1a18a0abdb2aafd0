// SPDX-License-Identifier: Apache-2.0
// Division by a number that is known long before: one multiplication, where a kernel's end waits
// for it. Exact for dividends up to 2^33 and divisors up to 2^31: the reciprocal, in units of 2^-64
// and rounded up, makes a quotient less than 2^-31 too great, which does not reach the next
// integer.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

class Divider {
 public:
  constexpr Divider() = default;
  // 1 .. 2^31.
  explicit constexpr Divider(std::uint32_t divisor)
      : divisor_(divisor), reciprocal_(~std::uint64_t{0} / divisor + 1) {}

  struct Parts {
    std::uint32_t quotient, remainder;
  };

  // The quotient fits 32 bits.
  STEPSCOPE_HOST_DEVICE constexpr Parts divide(std::uint64_t dividend) const {
    const std::uint64_t quotient = divisor_ == 1 ? dividend : upper_half(dividend, reciprocal_);
    return {static_cast<std::uint32_t>(quotient),
            static_cast<std::uint32_t>(dividend - quotient * divisor_)};
  }

 private:
  STEPSCOPE_HOST_DEVICE static constexpr std::uint64_t upper_half(std::uint64_t a,
                                                                  std::uint64_t b) {
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    const std::uint64_t low = (a & 0xffffffffU) * (b & 0xffffffffU);
    const std::uint64_t middle = (a >> 32) * (b & 0xffffffffU) + (low >> 32);
    const std::uint64_t other = (a & 0xffffffffU) * (b >> 32) + (middle & 0xffffffffU);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
#endif
  }

  std::uint32_t divisor_ = 1;
  std::uint64_t reciprocal_ = 0;
};

}  // namespace stepscope::kernels
