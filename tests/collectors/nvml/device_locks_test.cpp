// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/device_locks.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

namespace stepscope::nvml {
namespace {

class DeviceLocksTest : public testing::Test {
 protected:
  DeviceLocksTest() : path_(testing::TempDir() + "locks." + std::to_string(getpid())) {}
  ~DeviceLocksTest() override { std::filesystem::remove(path_); }

  bool take_here(std::uint32_t device) {
    DeviceLocks locks;
    EXPECT_TRUE(locks.open(path_.c_str()));
    return locks.take(device);
  }

  // A process that takes device 0, runs `then`, and waits to be killed.
  pid_t start_holder(const std::function<void()>& then = [] {}) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      DeviceLocks locks;
      const bool got = locks.open(path_.c_str()) && locks.take(0);
      then();
      if (write(ready[1], &got, 1) != 1) _exit(2);
      for (;;) pause();
    }
    bool got = false;
    EXPECT_EQ(::read(ready[0], &got, 1), 1);
    EXPECT_TRUE(got);
    close(ready[0]);
    close(ready[1]);
    return child;
  }

  static void end(pid_t process) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }

  std::string path_;
};

TEST_F(DeviceLocksTest, ADeviceIsTakenByOneProcessAndTheOthersAreFree) {
  const pid_t holder = start_holder();
  EXPECT_FALSE(take_here(0));
  EXPECT_TRUE(take_here(1));
  end(holder);
}

TEST_F(DeviceLocksTest, WhatADeadProcessHeldIsFree) {
  const pid_t holder = start_holder();
  DeviceLocks locks;
  ASSERT_TRUE(locks.open(path_.c_str()));
  EXPECT_FALSE(locks.take(0));
  end(holder);
  EXPECT_TRUE(locks.take(0));
}

TEST_F(DeviceLocksTest, AForkedChildDoesNotHoldItBehindItsDeadParent) {
  auto* worker = static_cast<pid_t*>(
      mmap(nullptr, sizeof(pid_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(worker, MAP_FAILED);
  const pid_t holder = start_holder([worker] {
    const pid_t child = fork();
    while (child == 0) pause();
    *worker = child;
  });
  ASSERT_GT(*worker, 0);
  end(holder);
  EXPECT_EQ(kill(*worker, 0), 0) << "the child lives on";
  EXPECT_TRUE(take_here(0));
  kill(*worker, SIGKILL);
}

// The program closes what it does not know and opens files of its own.
TEST_F(DeviceLocksTest, AFileThatGotTheNumberIsNotLocked) {
  const std::string users = path_ + ".users";
  const pid_t holder = start_holder([] {});
  const pid_t child = fork();
  if (child == 0) {
    DeviceLocks locks;
    if (!locks.open(path_.c_str()) || !locks.take(1)) _exit(1);
    const int file = ::open(users.c_str(), O_RDWR | O_CREAT, 0600);
    for (int number = 3; number < 1100; ++number) dup2(file, number);
    if (locks.take(0)) _exit(2);  // another process's still
    if (!locks.take(2)) _exit(3);
    const pid_t other = fork();  // record locks are not inherited
    if (other == 0) {
      struct flock lock {};
      lock.l_type = F_WRLCK;
      _exit(fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK && !take_here(1) ? 0 : 4);
    }
    int status = 0;
    waitpid(other, &status, 0);
    _exit(WEXITSTATUS(status));
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  end(holder);
  std::filesystem::remove(users);
}

TEST_F(DeviceLocksTest, WithoutAFileEveryDeviceIsFree) {
  DeviceLocks locks;
  EXPECT_FALSE(locks.open("/nonexistent/folder/file.lock"));
  EXPECT_TRUE(locks.take(0));
}

}  // namespace
}  // namespace stepscope::nvml
