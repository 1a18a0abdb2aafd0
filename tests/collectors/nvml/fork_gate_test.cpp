// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/fork_gate.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

namespace stepscope::nvml {
namespace {

void rest() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Whether `body`, in a forked child, says yes.
bool yes_in_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

// A thread that is inside from the constructor on until it is told to leave.
class ThreadInside {
 public:
  explicit ThreadInside(ForkGate& gate) : thread_([this, &gate] { stay(gate); }) {
    while (!knows_) rest();
  }
  ~ThreadInside() {
    leave_ = true;
    thread_.join();
  }
  bool entered() const { return entered_; }
  void leave_soon() { leave_ = true; }
  bool has_left() const { return left_; }

 private:
  void stay(ForkGate& gate) {
    entered_ = gate.enter();
    knows_ = true;
    while (!leave_) rest();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // a fork that waits has to do so
    left_ = true;
    gate.leave();
  }

  std::atomic<bool> knows_{false}, entered_{false}, leave_{false}, left_{false};
  std::thread thread_;
};

TEST(ForkGate, AChildMayEnterAndSoMayTheParentAgain) {
  static ForkGate gate;
  gate.install();
  EXPECT_TRUE(yes_in_child([] { return gate.enter(); }));
  EXPECT_TRUE(gate.enter());
  gate.leave();
}

TEST(ForkGate, AForkWaitsForTheThreadToLeave) {
  static ForkGate gate;
  gate.install();
  ThreadInside thread(gate);
  thread.leave_soon();
  EXPECT_TRUE(yes_in_child([&thread] { return thread.has_left(); }));
}

// What the child has of the gate is the state of a thread that is not there: were it kept, the
// child's first fork would wait in vain for that thread, and its next one not at all.
TEST(ForkGate, AChildOfAForkThatWaitedInVainBeginsAnew) {
  static ForkGate gate;
  gate.install();
  ThreadInside stuck(gate);
  ASSERT_TRUE(stuck.entered());
  EXPECT_TRUE(yes_in_child([&stuck] {
    if (stuck.has_left() || !yes_in_child([] { return true; })) return false;
    ThreadInside own(gate);
    own.leave_soon();
    return own.entered() && yes_in_child([&own] { return own.has_left(); });
  }));
}

}  // namespace
}  // namespace stepscope::nvml
