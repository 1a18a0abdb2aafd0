// SPDX-License-Identifier: Apache-2.0
#include "reports/html/source_excerpt.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace stepscope {
namespace {

class SourceExcerptTest : public testing::Test {
 protected:
  SourceExcerptTest() {
    std::string name = testing::TempDir() + "stepscope_source_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~SourceExcerptTest() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

TEST_F(SourceExcerptTest, HoldsTheLinesAroundIt) {
  const std::string path = file("a.py", "one\ntwo\r\nthree\nfour\nfive\n");
  const SourceExcerpt middle = source_excerpt(path, 3, 1);
  EXPECT_EQ(middle.first_line, 2U);
  EXPECT_EQ(middle.lines, (std::vector<std::string>{"two", "three", "four"}));
  EXPECT_EQ(source_excerpt(path, 1, 1).lines, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(source_excerpt(path, 5, 1).lines, (std::vector<std::string>{"four", "five"}));
}

TEST_F(SourceExcerptTest, IsEmptyForALineThatIsNotThere) {
  const std::string path = file("a.py", "one\n");
  EXPECT_TRUE(source_excerpt(path, 2).lines.empty());
  EXPECT_TRUE(source_excerpt(path, 0).lines.empty());
  EXPECT_TRUE(source_excerpt(path, 4'294'967'295U).lines.empty());
  EXPECT_TRUE(source_excerpt((folder_ / "b.py").string(), 1).lines.empty());
}

TEST_F(SourceExcerptTest, ReadsNothingButSourceFiles) {
  EXPECT_TRUE(source_excerpt(file("passwd", "root\n"), 1).lines.empty());
  EXPECT_TRUE(source_excerpt(file("key.pem", "secret\n"), 1).lines.empty());
  const std::string pipe = folder_ / "pipe.py";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(source_excerpt(pipe, 1).lines.empty());
  EXPECT_TRUE(source_excerpt(folder_.string(), 1).lines.empty());
}

TEST_F(SourceExcerptTest, CutsLongLines) {
  const SourceExcerpt excerpt = source_excerpt(file("a.cpp", std::string(5000, 'x')), 1);
  ASSERT_EQ(excerpt.lines.size(), 1U);
  EXPECT_EQ(excerpt.lines[0], std::string(200, 'x') + "...");
}

}  // namespace
}  // namespace stepscope
