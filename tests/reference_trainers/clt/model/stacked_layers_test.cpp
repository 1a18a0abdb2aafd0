// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/model/stacked_layers.hpp"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

namespace stepscope::clt {
namespace {

TEST(StackedLayers, AreAViewWhereTheyLieOneBehindTheOther) {
  const at::Tensor all = at::arange(2 * 3 * 4).view({2, 3, 4});
  const at::Tensor stacked = stacked_layers(all.unbind(0));
  EXPECT_TRUE(stacked.equal(all));
  EXPECT_EQ(stacked.const_data_ptr(), all.const_data_ptr());
}

TEST(StackedLayers, AreACopyWhereTheyDoNot) {
  const at::Tensor all = at::arange(2 * 3 * 4).view({3, 2, 4});
  for (const std::vector<at::Tensor>& layers :
       {all.unbind(1), std::vector<at::Tensor>{all[0], all[2]},
        std::vector<at::Tensor>{all[1], all[0]}, std::vector<at::Tensor>{all[0], all[1].clone()}}) {
    const at::Tensor stacked = stacked_layers(layers);
    EXPECT_TRUE(stacked.equal(at::stack(layers)));
    EXPECT_FALSE(stacked.is_alias_of(all));
  }
}

}  // namespace
}  // namespace stepscope::clt
