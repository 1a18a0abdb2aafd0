// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/finite_copy.hpp"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/linspace.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stepscope::trainers {
namespace {

class FiniteCopy : public testing::TestWithParam<at::ScalarType> {
 protected:
  static bool copies(const at::Tensor& from) {
    const at::Tensor to = at::empty_like(from);
    const bool finite =
        copy_finite(from.scalar_type(), from.const_data_ptr(), from.numel(), to.data_ptr());
    return finite && to.equal(from);
  }
};

TEST_P(FiniteCopy, FindsOneValueThatIsNotFiniteAnywhere) {
  const at::Tensor values = at::linspace(-60000, 60000, 37).to(GetParam());
  EXPECT_TRUE(copies(values));
  for (const double bad : {NAN, INFINITY, -INFINITY}) {
    for (std::int64_t place = 0; place < 37; ++place) {
      const at::Tensor with = values.clone();
      with[place] = bad;
      EXPECT_FALSE(copies(with)) << bad << " at " << place;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Types, FiniteCopy, testing::Values(at::kFloat, at::kHalf, at::kBFloat16),
                         [](const auto& about) { return c10::toString(about.param); });

}  // namespace
}  // namespace stepscope::trainers
