// SPDX-License-Identifier: Apache-2.0
#include "collectors/record_function/name_cache.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/collectors/fake_recorder/fake_recorder.hpp"

namespace stepscope {
namespace {

std::string found(NameCache& cache, const char* text) {
  return fake_recorder::text(cache.find(text));
}

TEST(NameCache, FindsATextAgainByItsAddress) {
  auto cache = std::make_unique<NameCache>();
  static constexpr char kName[] = "aten::add";
  const recorder::RangeName first = cache->find(kName);
  EXPECT_EQ(cache->find(kName), first);
  EXPECT_EQ(fake_recorder::text(first), "aten::add");
}

TEST(NameCache, AnAddressMayHoldAnotherTextLater) {
  auto cache = std::make_unique<NameCache>();
  char name[] = "MulBackward0";
  EXPECT_EQ(found(*cache, name), "MulBackward0");
  std::copy_n("AddBackward0", 12, name);
  EXPECT_EQ(found(*cache, name), "AddBackward0");
  std::copy_n("MulBackward0", 12, name);
  EXPECT_EQ(found(*cache, name), "MulBackward0");
}

TEST(NameCache, ATextAtAnyAddressHasOneId) {
  auto cache = std::make_unique<NameCache>();
  const std::string prefix = "autograd::engine::evaluate_function: ";
  const recorder::RangeName mul = cache->find((prefix + "MulBackward0").c_str());
  const recorder::RangeName add = cache->find((prefix + "AddBackward0").c_str());
  EXPECT_NE(mul, add);
  for (int i = 0; i < 100; ++i) {
    const std::string padding(static_cast<std::size_t>(i), 'x');  // moves the next one about
    EXPECT_EQ(cache->find((prefix + "MulBackward0").c_str()), mul) << padding.size();
    EXPECT_EQ(cache->find((prefix + "AddBackward0").c_str()), add);
  }
}

// Equal length, equal middle, equal end: the samples cannot tell them apart, the comparison must.
TEST(NameCache, TextsWithTheSameSamplesStayApart) {
  auto cache = std::make_unique<NameCache>();
  const std::string tail(40, 'z');
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(found(*cache, ("a" + tail).c_str()), "a" + tail);
    EXPECT_EQ(found(*cache, ("b" + tail).c_str()), "b" + tail);
  }
}

TEST(NameCache, ShortAndEmptyTextsAreTexts) {
  auto cache = std::make_unique<NameCache>();
  for (const std::string text : {"", "a", "ab", "abc", "aten::t"})
    EXPECT_EQ(found(*cache, text.c_str()), text);
}

// As many as there may be of them: each has its entry only where it is a name of its own.
TEST(NameCache, NumbersBesideANameAreNotTakenForAnothers) {
  auto cache = std::make_unique<NameCache>();
  for (int i = 1; i < 100; ++i) {
    const std::string name = "numbered " + std::to_string(i);
    EXPECT_EQ(found(*cache, name.c_str()), name);
    EXPECT_EQ(found(*cache, name.c_str()), name);
  }
}

}  // namespace
}  // namespace stepscope
