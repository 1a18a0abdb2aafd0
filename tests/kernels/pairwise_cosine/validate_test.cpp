// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/pairwise_cosine/pairwise_cosine.hpp"

namespace stepscope::kernels {
namespace {

// Pointers that nothing reads: only their alignment is looked at.
template <class T>
T* pairwise_pointer(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

PairwiseCosine good_distances() {
  PairwiseCosine call;
  call.sets.vectors = pairwise_pointer<void>(0x1004);
  call.sets.sets = 2;
  call.sets.count = 3;
  call.sets.width = 384;
  call.scores = pairwise_pointer<float>(0x2000);
  return call;
}

PairwiseCosineGradient good_gradient() {
  PairwiseCosineGradient call;
  call.sets = good_distances().sets;
  call.gradients = pairwise_pointer<void>(0x2000);
  return call;
}

template <class Call, class Change>
void expect_bad(Call call, const char* name, Change change) {
  change(call);
  EXPECT_STREQ(validate(call).where(), name);
}

TEST(ValidatePairwiseCosine, AcceptsWhatIsGood) {
  EXPECT_EQ(validate(good_distances()).message(), "");
  EXPECT_EQ(validate(good_gradient()).message(), "");
  PairwiseCosine none;
  none.sets.count = none.sets.width = 1;
  EXPECT_EQ(validate(none).message(), "");
}

TEST(ValidatePairwiseCosine, NamesTheBadArgument) {
  const PairwiseCosine call = good_distances();
  expect_bad(call, "sets", [](auto& c) { c.sets.sets = -1; });
  expect_bad(call, "count", [](auto& c) { c.sets.count = 0; });
  expect_bad(call, "count", [](auto& c) { c.sets.count = 65; });
  expect_bad(call, "width", [](auto& c) { c.sets.width = 8193; });
  expect_bad(call, "vectors", [](auto& c) { c.sets.vectors = nullptr; });
  expect_bad(call, "vectors", [](auto& c) { c.sets.vectors = pairwise_pointer<void>(0x1002); });
  expect_bad(call, "lengths",
             [](auto& c) { c.sets.lengths = pairwise_pointer<std::int32_t>(0x1001); });
  expect_bad(call, "scores", [](auto& c) { c.scores = nullptr; });
  expect_bad(call, "distances", [](auto& c) { c.distances = pairwise_pointer<float>(0x1002); });
  expect_bad(call, "not_finite",
             [](auto& c) { c.not_finite = pairwise_pointer<std::int32_t>(0x1002); });
  const PairwiseCosineGradient gradient = good_gradient();
  expect_bad(gradient, "gradients", [](auto& c) { c.gradients = nullptr; });
  expect_bad(gradient, "of_scores", [](auto& c) { c.of_scores = pairwise_pointer<float>(0x3); });
  expect_bad(gradient, "of_distances",
             [](auto& c) { c.of_distances = pairwise_pointer<float>(0x3); });
}

}  // namespace
}  // namespace stepscope::kernels
