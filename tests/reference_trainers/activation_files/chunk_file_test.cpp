// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/chunk_file.hpp"

#include <gmock/gmock.h>

#include "tests/reference_trainers/activation_files/store_folder.hpp"

namespace stepscope::trainers {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ChunkFileTest : public StoreFolder, public testing::WithParamInterface<at::ScalarType> {};

TEST_P(ChunkFileTest, RowsAreReadAsTheyWereWritten) {
  const at::Tensor rows = at::randn({30, 5}).to(GetParam());
  ASSERT_TRUE(write_chunk(path("chunk_0.h5"), {{"layer_0/inputs", rows}}));
  const auto file = open_chunk(path("chunk_0.h5"));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->layers(), 1);
  const auto shape = (*file)->shape("layer_0/inputs");
  ASSERT_TRUE(shape) << shape.error().message;
  EXPECT_EQ(shape->type, GetParam());
  EXPECT_EQ(shape->rows, 30);
  EXPECT_EQ(shape->width, 5);
  const at::Tensor part = at::empty({12, 5}, GetParam());
  ASSERT_TRUE((*file)->read("layer_0/inputs", 17, part));
  EXPECT_TRUE(part.equal(rows.slice(0, 17, 29)));
}
INSTANTIATE_TEST_SUITE_P(Types, ChunkFileTest,
                         testing::Values(at::kFloat, at::kHalf, at::kBFloat16),
                         [](const auto& about) { return c10::toString(about.param); });

using ChunkFileErrors = StoreFolder;

// bf16 is written as its bits, so 1.0 is the number 0x3f80 in the file.
TEST_F(ChunkFileErrors, Bfloat16IsStoredAsItsBits) {
  ASSERT_TRUE(write_chunk(path("a"), {{"x", at::ones({1, 64}, at::kBFloat16)}}));
  std::string bits;
  for (int i = 0; i < 64; ++i) bits += "\x80\x3f";
  EXPECT_THAT(bytes_of(path("a")), HasSubstr(bits));
}

TEST_F(ChunkFileErrors, NameFileAndDataset) {
  const auto missing = open_chunk(path("none"));
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, AllOf(HasSubstr(path("none")), HasSubstr("No such file")));

  put(path("text"), "not HDF5");
  const auto text = open_chunk(path("text"));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("no whole HDF5 file"));

  ASSERT_TRUE(write_chunk(path("a"), {{"x", at::ones({3, 2})}}));
  const auto file = open_chunk(path("a"));
  ASSERT_TRUE(file);
  EXPECT_THAT((*file)->shape("y").error().message, AllOf(HasSubstr(path("a")), HasSubstr("y: ")));
  EXPECT_THAT((*file)->read("x", 2, at::empty({2, 2})).error().message, HasSubstr("has changed"));
  EXPECT_THAT((*file)->read("x", 0, at::empty({2, 3})).error().message, HasSubstr("has changed"));
  EXPECT_THAT((*file)->read("x", 0, at::empty({2, 2}, at::kHalf)).error().message,
              HasSubstr("has changed"));
}

TEST_F(ChunkFileErrors, AFileIsNeverOverwritten) {
  ASSERT_TRUE(write_chunk(path("a"), {{"x", at::ones({3, 2})}}));
  const Status again = write_chunk(path("a"), {{"x", at::ones({3, 2})}});
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, AllOf(HasSubstr(path("a")), HasSubstr("cannot be written")));
}

}  // namespace
}  // namespace stepscope::trainers
