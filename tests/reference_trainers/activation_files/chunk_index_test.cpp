// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/chunk_index.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "tests/reference_trainers/activation_files/store_folder.hpp"

namespace stepscope::trainers {
namespace {

using testing::HasSubstr;

class ChunkIndex : public StoreFolder {
 protected:
  // Chunk numbers and rows, as text.
  std::string read(const std::string& bytes) const {
    put(path("index.bin"), bytes);
    const auto chunks = read_index(path("index.bin"));
    if (!chunks) return chunks.error().message;
    std::string text;
    for (const IndexedChunk& chunk : *chunks)
      text += std::to_string(chunk.number) + ":" + std::to_string(chunk.rows) + " ";
    return text;
  }

  static std::string words(const std::vector<std::uint32_t>& numbers) {
    std::string bytes(numbers.size() * 4, '\0');
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
  }
};

TEST_F(ChunkIndex, IsReadAsItWasWritten) {
  ASSERT_TRUE(write_index(path("index.bin"), {{0, 30}, {1, 7}}));
  EXPECT_EQ(read(bytes_of(path("index.bin"))), "0:30 1:7 ");
  EXPECT_EQ(bytes_of(path("index.bin")), words({0, 30, 0, 0, 1, 7, 30, 0}));
}

TEST_F(ChunkIndex, OlderStoresListRows) {
  EXPECT_EQ(read(words({0, 0, 0, 1, 0, 2})), "0:3 ");
  // A whole number of 16 bytes, as the newer form has.
  EXPECT_EQ(read(words({1, 1, 0, 0, 1, 0, 0, 1})), "0:2 1:2 ");
}

TEST_F(ChunkIndex, WhatIsNeitherIsNamed) {
  for (const std::string& bytes :
       {std::string(), std::string("odd"), words({0, 5}), words({0, 0, 0, 0}),
        words({0, 0xffffffff, 0, 0}), words({0, 3, 0, 0, 0, 3, 3, 0})})
    EXPECT_THAT(read(bytes), HasSubstr(path("index.bin") + ": it lists neither"));
}

}  // namespace
}  // namespace stepscope::trainers
