// SPDX-License-Identifier: Apache-2.0
// The quota of control groups, from folders made like /sys/fs/cgroup.
#include "collectors/launcher/core_limit.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace stepscope::launcher {
namespace {

namespace fs = std::filesystem;

class CoreLimit : public testing::Test {
 protected:
  CoreLimit() { fs::remove_all(mount_); }
  ~CoreLimit() override { fs::remove_all(mount_); }

  void put(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(mount_ + "/" + path).parent_path());
    std::ofstream(mount_ + "/" + path) << text;
  }

  const std::string mount_ = testing::TempDir() + "/core_limit_test";
};

TEST_F(CoreLimit, OfVersion2IsTheLowestOfAGroupAndThoseAboveIt) {
  put("jobs/cpu.max", "150000 100000\n");
  put("jobs/train/cpu.max", "400000 100000\n");
  EXPECT_DOUBLE_EQ(core_quota("0::/jobs/train\n", mount_).value_or(0), 1.5);
  put("jobs/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(core_quota("0::/jobs/train\n", mount_).value_or(0), 4);
}

TEST_F(CoreLimit, OfVersion1IsThatOfTheCpuController) {
  put("cpu/docker/cpu.cfs_quota_us", "250000\n");
  put("cpu/docker/cpu.cfs_period_us", "100000\n");
  const std::string groups = "5:pids:/docker\n4:cpu,cpuacct:/docker\n0::/\n";
  EXPECT_DOUBLE_EQ(core_quota(groups, mount_).value_or(0), 2.5);
  put("cpu/docker/cpu.cfs_quota_us", "-1\n");
  EXPECT_FALSE(core_quota(groups, mount_));
}

TEST_F(CoreLimit, OfAContainerStandsInTheMountsOwnFolder) {
  put("cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(core_quota("0::/system.slice/docker-1f.scope\n", mount_).value_or(0), 2);
}

TEST_F(CoreLimit, IsNoneWithoutGroupsOrInTextOfAnotherForm) {
  EXPECT_FALSE(core_quota("", mount_));
  EXPECT_FALSE(core_quota("nonsense\n1:2\n", mount_));
  put("cpu.max", "no number\n");
  EXPECT_FALSE(core_quota("0::/\n", mount_));
}

TEST_F(CoreLimit, LeavesAtLeastOneCore) {
  EXPECT_GE(usable_cores(), 1U);
}

}  // namespace
}  // namespace stepscope::launcher
