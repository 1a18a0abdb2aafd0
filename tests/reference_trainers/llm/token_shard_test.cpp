// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/data/token_shard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "tests/reference_trainers/llm/small_run.hpp"

namespace stepscope::llm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string written(const std::string& name, const std::string& bytes) {
  const std::string path = temporary(name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// A header of llm.c, then `rest`.
std::string shard_bytes(std::int32_t magic, std::int32_t version, std::int32_t count,
                        const std::string& rest) {
  std::string bytes(1024, '\0');
  const std::int32_t words[] = {magic, version, count};
  std::memcpy(bytes.data(), words, sizeof words);
  return bytes + rest;
}

std::string open_error(const std::string& path) {
  const auto shard = TokenShard::open(path);
  return shard ? "no error" : shard.error().message;
}

TEST(TokenShard, GivesBackWhatWasWritten) {
  const std::string path = temporary("a.bin");
  const std::vector<std::uint16_t> tokens = {5, 0, 65535, 7, 1};
  ASSERT_TRUE(write_shard(path, tokens));
  EXPECT_EQ(bytes_of_file(path).size(), 1024 + 10U);
  const auto shard = TokenShard::open(path);
  ASSERT_TRUE(shard) << shard.error().message;
  ASSERT_EQ(shard->size(), 5);
  std::vector<std::int64_t> out(3);
  ASSERT_TRUE(shard->copy(1, 3, 65536, out.data()));
  EXPECT_THAT(out, ElementsAre(0, 65535, 7));
}

TEST(TokenShard, ReadsTokensOf32Bits) {
  const std::uint32_t tokens[] = {70000, 3};
  const std::string rest(reinterpret_cast<const char*>(tokens), sizeof tokens);
  const auto shard = TokenShard::open(written("b.bin", shard_bytes(20240801, 7, 2, rest)));
  ASSERT_TRUE(shard) << shard.error().message;
  std::vector<std::int64_t> out(2);
  ASSERT_TRUE(shard->copy(0, 2, 128256, out.data()));
  EXPECT_THAT(out, ElementsAre(70000, 3));
}

TEST(TokenShard, ATokenBeyondTheVocabularyIsNamed) {
  const TokenShard shard = TokenShard::of({1, 2, 300, 4}, "x.bin");
  std::vector<std::int64_t> out(3);
  const Status copied = shard.copy(1, 3, 256, out.data());
  EXPECT_THAT(copied.error().message,
              HasSubstr("x.bin: token 2 is 300, but the vocabulary has 256"));
}

TEST(TokenShard, DamageIsSaid) {
  EXPECT_THAT(open_error(temporary("none.bin")), HasSubstr("cannot be opened"));
  EXPECT_THAT(open_error(testing::TempDir()), HasSubstr("no token shard"));
  EXPECT_THAT(open_error(written("short.bin", "hello")), HasSubstr("5 bytes"));
  EXPECT_THAT(open_error(written("magic.bin", shard_bytes(1, 1, 0, ""))),
              HasSubstr("begins with 1"));
  EXPECT_THAT(open_error(written("new.bin", shard_bytes(20240520, 2, 0, ""))),
              HasSubstr("version 2"));
  EXPECT_THAT(open_error(written("cut.bin", shard_bytes(20240520, 1, 9, "abcd"))),
              HasSubstr("truncated: its header says 9 tokens, it holds 2"));
  EXPECT_THAT(open_error(written("odd.bin", shard_bytes(20240520, 1, 2, "abcde"))),
              HasSubstr("damaged"));
  EXPECT_THAT(open_error(written("negative.bin", shard_bytes(20240520, 1, -4, "abcd"))),
              HasSubstr("header says -4"));
}

// Any header: an error or a shard whose every token can be read.
TEST(TokenShard, NoHeaderReadsBeyondTheFile) {
  std::uint64_t state = 1;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = shard_bytes(20240520, 1, 3, "abcdef");
    for (int i = 0; i < 3; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      bytes[(state >> 33) % (round % 2 == 0 ? 12 : bytes.size())] = static_cast<char>(state >> 56);
    }
    bytes.resize(bytes.size() - (state >> 40) % 8);
    const auto shard = TokenShard::open(written("fuzz.bin", bytes));
    if (!shard) continue;
    std::vector<std::int64_t> out(static_cast<std::size_t>(shard->size()));
    EXPECT_TRUE(shard->copy(0, shard->size(), std::int64_t{1} << 33, out.data()));
  }
}

TEST(OpenShards, TakesAFolderInTheOrderOfNames) {
  const std::string folder = temporary("folder");
  std::filesystem::create_directories(folder);
  EXPECT_THAT(open_shards(folder).error().message, HasSubstr("holds no *.bin"));
  ASSERT_TRUE(write_shard(folder + "/b.bin", std::vector<std::uint16_t>{1, 2}));
  ASSERT_TRUE(write_shard(folder + "/a.bin", std::vector<std::uint16_t>{1}));
  std::ofstream(folder + "/notes.txt") << "x";
  const auto shards = open_shards(folder);
  ASSERT_TRUE(shards) << shards.error().message;
  ASSERT_EQ(shards->size(), 2U);
  EXPECT_EQ(shards->front().size(), 1);
  EXPECT_EQ(open_shards(folder + "/b.bin")->size(), 1U);
}

}  // namespace
}  // namespace stepscope::llm
