// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/text/text_shards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "reference_trainers/llm/data/token_shard.hpp"
#include "reference_trainers/llm/text/text_documents.hpp"
#include "reference_trainers/llm/text/tokeniser.hpp"

namespace stepscope::llm {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Texts : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  static std::string sentences() {
    std::string text;
    for (int i = 0; i < 200; ++i)
      text += "The " + std::to_string(i * 7) + " ships of the harbour sailed, and 2" +
              std::to_string(i) + " came back.\n";
    return text;
  }

 private:
  const fs::path folder_ = fs::path(testing::TempDir()) / "stepscope_llm_texts";
};

std::vector<std::string> documents_of(const std::string& path, const std::string& separator) {
  std::vector<std::string> all;
  EXPECT_TRUE(for_each_document({path}, separator, [&](std::string_view text) -> Status {
    all.emplace_back(text);
    return Done{};
  }));
  return all;
}

TEST_F(Texts, AFileIsADocumentUnlessALineSeparatesThem) {
  const std::string path = write("a.txt", "one\ntwo\n***\nthree *** no\n***\n***\nfour\n***");
  EXPECT_THAT(documents_of(path, ""), ElementsAre(HasSubstr("four")));
  EXPECT_THAT(documents_of(path, "***"), ElementsAre("one\ntwo\n", "three *** no\n", "four\n"));
}

TEST_F(Texts, FilesOfAFolderComeByNameWithThoseOfItsFolders) {
  write("in/b.txt", "b");
  write("in/a/z.txt", "a");
  write("in/a/z.md", "no");
  EXPECT_THAT(*text_files(at("in")), ElementsAre(HasSubstr("a/z.txt"), HasSubstr("b.txt")));
  EXPECT_THAT(text_files(at("none")).error().message, HasSubstr("no such file or folder"));
}

TEST(Utf8, OnlyShortestFormsOfCharactersAreTaken) {
  for (const char* good :
       {"", "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x9a\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(first_not_utf8(good), std::string_view(good).size()) << good;
  for (const char* bad : {"\x80", "\xc0\xaf", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xff", "\xe2\x82"})
    EXPECT_EQ(first_not_utf8("ok" + std::string(bad)), 2U);
}

TEST_F(Texts, ComeBackFromTheirTokens) {
  write("in/a.txt", sentences());
  ASSERT_TRUE(train_tokeniser({at("in/a.txt")}, "", 400, at("model")));
  const Result<Tokeniser> tokeniser = Tokeniser::open(at("model"));
  ASSERT_TRUE(tokeniser) << tokeniser.error().message;
  EXPECT_LE(tokeniser->vocabulary(), 400);
  for (const std::string& text : {std::string("The ships.\n\n  Two  spaces,\ttab\n"),
                                  std::string("caf\xc3\xa9 \xf0\x9f\x9a\x80"),
                                  std::string(" begins with a space"), sentences()}) {
    std::vector<std::uint16_t> tokens;
    ASSERT_TRUE(tokeniser->add(text, tokens));
    EXPECT_EQ(tokens.front(), tokeniser->document_token());
    EXPECT_EQ(tokeniser->text_of({tokens.begin() + 1, tokens.end()}), text);
  }
}

TEST_F(Texts, BecomeShardsOfWholeDocumentsInOrder) {
  write("in/a.txt", sentences() + "***\n" + sentences());
  const TextShards wish{at("in"), at("out"), at("model"), "***", 400, 1000};
  std::vector<std::string> said;
  const Status written =
      write_text_shards(wish, [&](const std::string& line) { said.push_back(line); });
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_THAT(said.back(), HasSubstr("2 documents, "));
  EXPECT_THAT(said.back(), HasSubstr("--vocabulary "));
  const auto shards = open_shards(at("out"));
  ASSERT_TRUE(shards);
  ASSERT_GT(shards->size(), 2U);
  std::vector<std::uint16_t> all;
  for (const TokenShard& shard : *shards) {
    std::vector<std::int64_t> tokens(static_cast<std::size_t>(shard.size()));
    ASSERT_TRUE(shard.copy(0, shard.size(), 65536, tokens.data()));
    all.insert(all.end(), tokens.begin(), tokens.end());
    EXPECT_TRUE(shard.size() == 1000 || &shard == &shards->back());
  }
  const Result<Tokeniser> tokeniser = Tokeniser::open(at("model"));
  std::vector<std::uint16_t> expected;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(tokeniser->add(sentences(), expected));
  EXPECT_EQ(all, expected);
}

TEST_F(Texts, WhatCannotBeReadIsNamed) {
  const std::string bad = write("bad.txt", "ab\xff");
  TextShards wish{bad, at("out"), at("model"), "", 400};
  const auto error = [&] {
    const Status written = write_text_shards(wish, [](const std::string&) {});
    return written ? std::string() : written.error().message;
  };
  EXPECT_THAT(error(), HasSubstr("bad.txt: byte 2 is no UTF-8"));
  wish.text = write("good.txt", "good");
  wish.train_vocabulary = 0;
  EXPECT_THAT(error(), HasSubstr("cannot be opened"));
  wish.tokenizer = wish.text;
  EXPECT_THAT(error(), HasSubstr("it is no model of SentencePiece"));
}

}  // namespace
}  // namespace stepscope::llm
