// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/launched_rank.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace stepscope::launcher {
namespace {

TEST(LaunchedRank, IsToldByEachLauncher) {
  const Environment launchers[] = {{{"RANK", "2"}, {"WORLD_SIZE", "4"}},
                                   {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}},
                                   {{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}},
                                   {{"MV2_COMM_WORLD_RANK", "2"}, {"MV2_COMM_WORLD_SIZE", "4"}},
                                   {{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}}};
  for (const Environment& environment : launchers) {
    const auto found = launched_rank(environment);
    ASSERT_TRUE(found) << environment.begin()->first;
    EXPECT_EQ(found->rank, 2);
    EXPECT_EQ(found->size, 4);
  }
}

TEST(LaunchedRank, IsNoneInABatchScriptAloneOrWhereAVariableIsNoNumber) {
  EXPECT_FALSE(launched_rank({}));
  EXPECT_FALSE(launched_rank({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}));
  EXPECT_FALSE(launched_rank({{"RANK", "0"}, {"WORLD_SIZE", "1"}}));
  EXPECT_FALSE(launched_rank({{"RANK", "x"}, {"WORLD_SIZE", "2"}}));
  EXPECT_FALSE(launched_rank({{"RANK", ""}, {"WORLD_SIZE", "2"}}));
}

TEST(LaunchedRank, HasAFolderInThatOfTheJob) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("launched_rank" + std::to_string(getpid()));
  const std::string job = (folder / "job").string();
  EXPECT_EQ(name_of_rank(job, 1, true), job + "/rank1");
  EXPECT_EQ(name_of_rank(job + ".scope", 12, true), job + "/rank12");
  EXPECT_EQ(name_of_rank(job + "/", 0, true), job + "/rank0");
  std::filesystem::create_directories(job + "/rank1.scope");
  EXPECT_EQ(name_of_rank(job, 1, true), job + ".2/rank1") << "an earlier run has that one";
  EXPECT_EQ(name_of_rank(job, 1, false), job + "/rank1") << "which --overwrite replaces";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace stepscope::launcher
