// SPDX-License-Identifier: Apache-2.0
// How far a sum of fp32 products may be from the exact one: after n roundings of half a unit of the
// last place each, n u / (1 - n u) of the sum of magnitudes, whatever the order; and the rounding
// of the answer to its type.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/common/key_types.hpp"

namespace stepscope::kernels {

struct RoundingBound {
  double terms = 0;  // the most that any sum has
  KeyType type = KeyType::float32;

  double of(double exact, double magnitude) const {
    const double unit = std::ldexp(1.0, -24);
    const double sum = (terms + 2) * unit / (1 - (terms + 2) * unit) * magnitude;
    return sum + (type == KeyType::bfloat16 ? std::ldexp(std::abs(exact) + sum, -8) : 0);
  }
};

inline void expect_near(const std::vector<double>& found, const std::vector<double>& exact,
                        const std::vector<double>& magnitude, const RoundingBound& bound,
                        const std::string& what) {
  ASSERT_EQ(found.size(), exact.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(found[i] - exact[i]), bound.of(exact[i], magnitude[i]))
        << what << " at " << i << ": " << found[i] << " for " << exact[i];
}

}  // namespace stepscope::kernels
