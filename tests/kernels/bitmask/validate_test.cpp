// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/bitmask/bitmask_outputs.hpp"
#include "kernels/bitmask/list_layout.hpp"

namespace stepscope::kernels {
namespace {

// Pointers that nothing reads: only their alignment is looked at.
template <class T>
T* pointer(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

const Bitmask kMask{pointer<const std::uint32_t>(0x1000), 10, 100};

BitmaskList good_list() {
  BitmaskList list;
  list.offsets = pointer<std::int64_t>(0x2000);
  list.indices = pointer<std::int32_t>(0x3000);
  list.capacity = 7;
  list.workspace = pointer<void>(0x4000);
  list.workspace_bytes = bitmask_list_workspace_bytes(kMask, list.lines);
  return list;
}

TEST(ValidateBitmask, NamesTheBadArgument) {
  EXPECT_TRUE(validate(kMask).ok());
  EXPECT_STREQ(validate({kMask.words, -1, 3}).where(), "rows");
  EXPECT_STREQ(validate({kMask.words, 1, std::int64_t{1} << 31}).where(), "columns");
  EXPECT_STREQ(validate({kMask.words, 1 << 17, 1 << 17}).where(), "rows");
  EXPECT_STREQ(validate({nullptr, 1, 1}).where(), "words");
  EXPECT_TRUE(validate({nullptr, 0, 1}).ok()) << "an empty mask has no words";
}

TEST(ValidateBitmask, NamesTheBadPartOfAList) {
  const auto where = [](auto change) {
    BitmaskList list = good_list();
    change(list);
    return std::string(validate(kMask, list).where());
  };
  EXPECT_EQ(where([](auto&) {}), "");
  EXPECT_EQ(where([](auto& l) { l.offsets = nullptr; }), "offsets");
  EXPECT_EQ(where([](auto& l) { l.indices = pointer<std::int32_t>(0x3001); }), "indices");
  EXPECT_EQ(where([](auto& l) { l.indices = nullptr; }), "") << "offsets alone";
  EXPECT_EQ(where([](auto& l) { l.capacity = -1; }), "capacity");
  EXPECT_EQ(where([](auto& l) { l.values = pointer<void>(0x5000); }), "values");
  EXPECT_EQ(where([](auto& l) { l.column_addends = pointer<float>(0x5000); }), "column_addends")
      << "of bfloat16 keys";
  EXPECT_EQ(where([](auto& l) {
              l.column_addends = pointer<float>(0x5000);
              l.key_type = KeyType::float32;
            }),
            "");
  EXPECT_EQ(where([](auto& l) { l.workspace = pointer<void>(0x4004); }), "workspace");
  EXPECT_EQ(where([](auto& l) { --l.workspace_bytes; }), "workspace_bytes");
}

TEST(ListLayout, HasAChunkForTheLastOffset) {
  EXPECT_EQ(list_layout(0).chunks, 1);
  EXPECT_EQ(list_layout(kLinesOfChunk - 1).chunks, 1);
  EXPECT_EQ(list_layout(kLinesOfChunk).chunks, 2);
  EXPECT_GE(list_layout(100).sums, 400U);
}

}  // namespace
}  // namespace stepscope::kernels
