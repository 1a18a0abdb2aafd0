// SPDX-License-Identifier: Apache-2.0
#include "core/support/memory_limit.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <limits>

#include "core/support/memory_room.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kNone64 = std::numeric_limits<std::uint64_t>::max();

class MemoryLimit : public testing::Test {
 protected:
  MemoryLimit() : root_(testing::TempDir() + "groups." + std::to_string(getpid())) {}
  ~MemoryLimit() override { fs::remove_all(root_); }
  void write(const fs::path& file, const char* text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << "\n";
  }
  fs::path root_;
};

TEST_F(MemoryLimit, IsTheLeastOnTheWayUp) {
  write("memory.max", "max");
  write("job/memory.max", "1000");
  write("job/step/memory.max", "max");
  write("other/memory.max", "5");
  EXPECT_EQ(group_limit_bytes(root_, "0::/job/step\n"), 1000U);
  EXPECT_EQ(group_limit_bytes(root_, "0::/job\n"), 1000U);
  EXPECT_EQ(group_limit_bytes(root_, "0::/\n"), kNone64);
  EXPECT_EQ(group_limit_bytes(root_, ""), kNone64);
}

TEST_F(MemoryLimit, IsReadInTheOldLayout) {
  write("memory/docker/memory.limit_in_bytes", "2000");
  EXPECT_EQ(group_limit_bytes(root_, "5:cpu,memory:/docker\n4:pids:/x\n"), 2000U);
}

TEST_F(MemoryLimit, OfTheAddressSpaceCounts) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's shadow alone takes terabytes of addresses";
#endif
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit small{1U << 30U, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &small), 0);
  const std::uint64_t limit = memory_limit_bytes();
  setrlimit(RLIMIT_AS, &before);
  EXPECT_LE(limit, 1U << 30U);
  EXPECT_GT(memory_limit_bytes(), 0U);
}

TEST(MemoryAvailable, IsTheLineOfThatName) {
  EXPECT_EQ(available_bytes("MemTotal: 9 kB\nMemAvailable:    2 kB\nCached: 7 kB\n"), 2048U);
  EXPECT_EQ(available_bytes("MemTotal: 9 kB\n"), kNone64);
  EXPECT_EQ(available_bytes("MemAvailable: ?\n"), kNone64);
}

TEST(MemoryLeft, IsLessThanTheLimit) {
  EXPECT_GT(resident_bytes(), 0U);
  EXPECT_GT(memory_left_bytes(), 0U);
  EXPECT_LT(memory_left_bytes(), memory_limit_bytes());
}

std::uint64_t held_in_test() {
  return std::uint64_t{800} << 20U;
}

TEST(MemoryRoom, HasGoneWhenLessIsLeftThanIsHeld) {
  const MemoryRoom enough(held_in_test, [] { return std::uint64_t{800} << 20U; });
  EXPECT_TRUE(enough.check(1, 4).ok());
  const MemoryRoom little(held_in_test, [] { return std::uint64_t{799} << 20U; });
  const Status gone = little.check(1, 4);
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code, ErrorCode::unsupported);
  EXPECT_NE(gone.error().message.find("takes 800 MiB of memory, 799 MiB are left, and all of it "
                                      "needs about 3200 MiB"),
            std::string::npos)
      << gone.error().message;
  EXPECT_NE(little.check(7, 0).error().message.find("needs more"), std::string::npos);
}

}  // namespace
}  // namespace stepscope
