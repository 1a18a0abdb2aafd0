// SPDX-License-Identifier: Apache-2.0
// Recordings whose file can take no more in the middle of the run.
#include "collectors/recorder/draining/salvage.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/model/losses.hpp"
#include "tests/collectors/recorder/user_ranges.hpp"

namespace stepscope::recorder {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

void record_ranges(int count, const std::string& called) {
  for (int i = 0; i < count; ++i) {
    begin_user(called);
    end_range(kLaneUser);
  }
  usleep(300'000);  // the writer writes once in 100 ms
}

std::size_t count_of(const Trace& trace, const std::string& called) {
  const std::vector<std::string> names = names_of(trace);
  return static_cast<std::size_t>(std::count(names.begin(), names.end(), called));
}

class LastSpaceTest : public RecordedChild {
 protected:
  // The ranges "before" are there, and the recording says that it ended.
  void expect_a_recording_that_ended(const std::string& why) {
    EXPECT_THAT(salvage(folder_.string(), {}).problems,
                Contains(testing::AllOf(HasSubstr(why), HasSubstr("recording ended"))));
    EXPECT_EQ(count_files(".last"), 0U);
    const Trace trace = read();
    EXPECT_EQ(count_of(trace, "before"), 100U);
    EXPECT_EQ(count_of(trace, "much later"), 0U);
  }
};

TEST_F(LastSpaceTest, AFileThatMayNotGrowEndsTheRecordingAndNotTheProgram) {
  record([this] {
    signal(SIGXFSZ, SIG_IGN);
    record_ranges(100, "before");
    const auto grown = fs::directory_iterator(folder_);
    std::uintmax_t bytes = 0;
    for (const auto& entry : grown)
      if (entry.path().extension() == ".sst") bytes = entry.file_size();
    const rlimit limit{bytes + 10, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    record_ranges(1000, "later");
    EXPECT_FALSE(is_armed());
    record_ranges(10, "much later");
  });
  expect_a_recording_that_ended("File too large");
}

// As root, or in a namespace of its own where the system lets a user make one.
bool mount_small_disk(const std::string& folder) {
  const uid_t user = getuid();
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  }
  return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=96m") == 0;
}

void fill_disk(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  std::array<char, 4096> page{};
  while (write(file, page.data(), page.size()) > 0) continue;
  close(file);
}

TEST_F(LastSpaceTest, OnAFullDiskTheFileStillGetsItsEnd) {
  constexpr int kNoDisk = 77;
  const pid_t child = fork();
  if (child == 0) {
    if (!mount_small_disk(folder_.string())) _exit(kNoDisk);
    fs::create_directories(folder_ / "live");
    record([this] {
      record_ranges(100, "before");
      fill_disk((folder_ / "filler").string());
      record_ranges(50'000, "later");
      record_ranges(10, "much later");
    });
    expect_a_recording_that_ended("disk full");
    const Trace trace = read();
    EXPECT_THAT(trace.health().notes, Contains(HasSubstr("disk full")));
    EXPECT_THAT(trace.health().notes, testing::Not(Contains(HasSubstr("no footer"))));
    EXPECT_THAT(lost_stretches(trace, 0), SizeIs(1));
    EXPECT_EQ(trace.data().processes[0].exit_reason, ExitReason::still_running);
    _exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == kNoDisk) GTEST_SKIP() << "this system lets nobody mount a disk";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace stepscope::recorder
