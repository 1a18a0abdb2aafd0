// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/activation_files.hpp"

#include <gmock/gmock.h>

#include "reference_trainers/activation_files/chunk_file.hpp"
#include "tests/reference_trainers/activation_files/store_folder.hpp"

namespace stepscope::trainers {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class ActivationFilesTest : public StoreFolder {
 protected:
  // Replaces chunk_1.h5 of a store of 3 chunks of 10 rows.
  std::string error_with(const NamedRows& chunk) const {
    const std::string store = written(30, 10);
    fs::remove(store + "/chunk_1.h5");
    EXPECT_TRUE(write_chunk(store + "/chunk_1.h5", chunk));
    const std::string error = error_of(store);
    fs::remove_all(store);
    return error;
  }
  static std::string error_of(const std::string& store, std::int64_t layers = 2,
                              std::int64_t d_model = 4) {
    const auto files = look_at(store, layers, d_model);
    return files ? "" : files.error().message;
  }
  static NamedRows chunk(std::int64_t rows, std::int64_t width, at::ScalarType type) {
    NamedRows all;
    for (int i = 0; i < 4; ++i)
      all.emplace_back(dataset_name(i / 2, i % 2), at::ones({rows, width}, type));
    return all;
  }
};

TEST_F(ActivationFilesTest, TellWhatTheFolderHolds) {
  const std::string store = written(25, 10, "store", at::kBFloat16);
  const auto files = look_at(store, 2, 4);
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(files->rows(), 25);
  EXPECT_EQ(files->type, at::kBFloat16);
  EXPECT_EQ(files->bytes_per_row(), 2 * 2 * 4 * 2);
  ASSERT_EQ(files->chunks.size(), 3U);
  EXPECT_EQ(files->chunks[2].rows, 5);
  EXPECT_EQ(files->chunks[2].path, store + "/chunk_2.h5");
}

// The chunks alone are enough, and may be called .hdf5.
TEST_F(ActivationFilesTest, NeedNoFileBesideTheChunks) {
  const std::string store = written(115, 10);
  for (const char* name : {"index.bin", "metadata.json", "norm_stats.json"})
    fs::remove(store + "/" + name);
  fs::rename(store + "/chunk_1.h5", store + "/chunk_1.hdf5");
  put(store + "/chunk_x.h5", "");
  const auto files = look_at(store, 2, 4);
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(files->rows(), 115);
  EXPECT_EQ(files->chunks[11].rows, 5) << "by number, not by name";
}

TEST_F(ActivationFilesTest, MissingFilesAreNamed) {
  EXPECT_THAT(error_of(path("none")), HasSubstr(path("none") + ": there is no such folder"));
  fs::create_directory(path("empty"));
  EXPECT_THAT(error_of(path("empty")), HasSubstr("no chunk_0.h5"));
  const std::string store = written(30, 10);
  fs::remove(store + "/chunk_1.h5");
  EXPECT_THAT(error_of(store), AllOf(HasSubstr("chunk_1.h5"), HasSubstr("is missing")));
  fs::remove(store + "/index.bin");
  EXPECT_THAT(error_of(store), AllOf(HasSubstr("chunk_1.h5"), HasSubstr("is missing")));
}

TEST_F(ActivationFilesTest, ATruncatedChunkIsNamed) {
  const std::string store = written(3000, 1000);
  fs::resize_file(store + "/chunk_2.h5", fs::file_size(store + "/chunk_2.h5") / 2);
  EXPECT_THAT(error_of(store), AllOf(HasSubstr("chunk_2.h5"), HasSubstr("truncated")));
}

TEST_F(ActivationFilesTest, OtherSizesThanTheRunsAreNamed) {
  const std::string store = written(30, 10);
  EXPECT_THAT(error_of(store, 3, 4), AllOf(HasSubstr("metadata.json"), HasSubstr("--layers 2")));
  EXPECT_THAT(error_of(store, 2, 5), HasSubstr("give --layers 2 --d-model 4"));
  fs::remove(store + "/metadata.json");
  EXPECT_THAT(error_of(store, 1, 4), AllOf(HasSubstr("chunk_0.h5"), HasSubstr("has 2 layers")));
  EXPECT_THAT(error_of(store, 3, 4), HasSubstr("has 2 layers"));
  EXPECT_THAT(error_of(store, 2, 5), AllOf(HasSubstr("chunk_0.h5: layer_0/inputs"),
                                           HasSubstr("width is 4, --d-model is 5")));
}

TEST_F(ActivationFilesTest, AChunkThatDiffersIsNamed) {
  EXPECT_EQ(error_with(chunk(10, 4, at::kFloat)), "");
  EXPECT_THAT(error_with(chunk(9, 4, at::kFloat)),
              AllOf(HasSubstr("chunk_1.h5"), HasSubstr("has 9 rows, index.bin says 10")));
  EXPECT_THAT(error_with(chunk(10, 3, at::kFloat)), HasSubstr("width is 3"));
  EXPECT_THAT(error_with(chunk(10, 4, at::kHalf)),
              HasSubstr("it is float16, the store's first dataset is float32"));
  NamedRows other = chunk(10, 4, at::kFloat);
  other[3].second = at::ones({8, 4});
  EXPECT_THAT(error_with(other), HasSubstr("layer_1/targets: it has 8 rows"));
  other.pop_back();
  EXPECT_THAT(error_with(other), HasSubstr("layer_1/targets: it is missing"));
}

TEST_F(ActivationFilesTest, DamagedMetadataIsNamed) {
  const std::string store = written(30, 10);
  put(store + "/metadata.json", "{");
  EXPECT_THAT(error_of(store), HasSubstr("metadata.json: it is no JSON object"));
  put(store + "/metadata.json", R"({"num_layers": "2", "d_model": 4})");
  EXPECT_THAT(error_of(store), HasSubstr("whole numbers"));
}

TEST_F(ActivationFilesTest, AreNeverWrittenOverOthers) {
  const std::string store = written(30, 10);
  const Status again = write_activations(store, numbered(30));
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr(store + ": it is not empty"));
}

}  // namespace
}  // namespace stepscope::trainers
