// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/training/checkpoint_files.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace stepscope::clt {
namespace {

using testing::EndsWith;

class CheckpointFiles : public testing::Test {
 protected:
  CheckpointFiles()
      : folder_(std::filesystem::temp_directory_path() /
                ("checkpoint_files_test." + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~CheckpointFiles() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }
  void make(const char* name) const { std::ofstream(path(name)) << "there"; }
  std::string error_of(const char* name, int ranks) const {
    const Status found = check_found(path(name), ranks);
    return found ? "" : found.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(CheckpointFiles, OneProcessHasOneAndRanksHaveOneEach) {
  EXPECT_EQ(part_path("a/b", 0, 1), "a/b");
  EXPECT_EQ(part_path("a/b", 1, 2), "a/b.rank1of2");
}

TEST_F(CheckpointFiles, WhatIsThereOrJustMissingIsNoError) {
  make("one"), make("two.rank0of2");
  EXPECT_EQ(error_of("one", 1), "");
  EXPECT_EQ(error_of("two", 2), "");
  EXPECT_EQ(error_of("none", 1), "");
  EXPECT_EQ(error_of("none/none", 2), "");
}

TEST_F(CheckpointFiles, AnotherNumberOfRanksIsNamed) {
  make("one"), make("two.rank0of2"), make("two.rank1of2"), make("two.rank.rank0of8");
  const std::string flags = "go on with --resume " + path("two") + " --nproc 2 --parallel features";
  EXPECT_THAT(error_of("two", 1), EndsWith("it was written by 2 ranks, a file each: " + flags));
  EXPECT_THAT(error_of("two", 4), EndsWith(flags));
  EXPECT_THAT(error_of("two.rank0of2", 2), EndsWith(flags));
  EXPECT_THAT(error_of("one", 2), EndsWith("go on with --nproc 1, or with --parallel data"));
}

TEST_F(CheckpointFiles, AFolderIsNamedWithTheFlag) {
  for (const int ranks : {1, 2})
    EXPECT_EQ(
        check_found(folder_, ranks).error().message,
        "--resume " + folder_.string() + ": it is a folder; give the file that --checkpoint wrote");
}

}  // namespace
}  // namespace stepscope::clt
