// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/process_state.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>

#include "collectors/recorder/draining/salvage.hpp"
#include "collectors/recorder/live_files/shared_layout.hpp"
#include "tests/collectors/recorder/user_ranges.hpp"

namespace {

// A disk that is slow for the threads that say so: blocks are not there before a second of them asks for
// some. The writer thread, which asks at times of its own, is none of them.
thread_local bool disk_is_slow = false;
std::atomic<int> asking{0}, asked_together{0};

void wait_for_another() {
  ++asking;
  for (int i = 0; i < 200 && asking < 2; ++i) usleep(10'000);
  if (asking >= 2) ++asked_together;
}

}  // namespace

// In place of the C library's.
extern "C" int posix_fallocate(int fd, off_t offset, off_t size) {
  if (disk_is_slow) wait_for_another();
  return syscall(SYS_fallocate, fd, 0, offset, size) == 0 ? 0 : errno;
}

namespace stepscope::recorder {
namespace {

namespace fs = std::filesystem;

using ProcessStateTest = RecordedChild;

TEST_F(ProcessStateTest, NothingRecordedWritesNothing) {
  record([] { fact("torch", "2.11"); });
  EXPECT_EQ(count_files(".sst"), 0U);
  EXPECT_TRUE(fs::is_empty(folder_ / "live"));
}

TEST_F(ProcessStateTest, AForkedChildWritesItsOwnFileAndKeepsTheParentsNames) {
  record([] {
    const NameId known = name("known before the fork");
    begin_user("parent");
    const pid_t child = fork_while_others_sleep();
    if (child == 0) {
      end_range(kLaneUser);  // the parent began this range
      begin_range(kLaneUser, HostKind::user_scope, known, 0, 0, kNoSequence);
      end_range(kLaneUser);
      begin_user("new in the child");
      end_range(kLaneUser);
      _exit(0);  // as multiprocessing does: no handler runs
    }
    waitpid(child, nullptr, 0);
    end_range(kLaneUser);
  });
  EXPECT_EQ(salvage(folder_.string(), {}).recovered, 1U);
  const Trace trace = read();
  EXPECT_EQ(trace.data().processes.size(), 2U);
  EXPECT_THAT(names_of(trace),
              testing::UnorderedElementsAre("parent", "known before the fork", "new in the child"));
}

TEST_F(ProcessStateTest, AFolderThatCannotBeWrittenSwitchesRecordingOff) {
  fs::remove_all(folder_ / "live");
  record([] {
    begin_user("nowhere");
    end_range(kLaneUser);
    EXPECT_FALSE(is_armed());
  });
  EXPECT_EQ(count_files(".sst"), 0U);
}

TEST_F(ProcessStateTest, ThreadsDoNotWaitForEachOthersFiles) {
  record([] {
    begin_user("main");
    end_range(kLaneUser);
    const auto work = [] {
      disk_is_slow = true;
      begin_user("thread");
      end_range(kLaneUser);
    };
    std::thread first(work), second(work);
    first.join();
    second.join();
    EXPECT_EQ(asked_together, 2);
  });
  EXPECT_THAT(names_of(read()), testing::ElementsAre("main", "thread", "thread"));
}

// The kernel would kill the program with SIGXFSZ.
TEST_F(ProcessStateTest, ALimitOnTheSizeOfFilesSwitchesRecordingOff) {
  record([] {
    const rlimit limit{kSessionBytes - 1, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    begin_user("nowhere");
    end_range(kLaneUser);
    EXPECT_FALSE(is_armed());
  });
  EXPECT_EQ(count_files(".sst") + count_files(".session"), 0U);
}

TEST_F(ProcessStateTest, ALimitThatComesLaterLosesNothingThatWasWritten) {
  record([this] {
    begin_user("before");
    end_range(kLaneUser);
    wait_for_written_ranges();
    const rlimit limit{0, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 10'000; ++i) (void)name("a name that needs room " + std::to_string(i));
    begin_user("behind");  // the end of the recording writes it, and may not
    end_range(kLaneUser);
  });
  EXPECT_THAT(names_of(read()), testing::ElementsAre("before"));
}

}  // namespace
}  // namespace stepscope::recorder
