// SPDX-License-Identifier: Apache-2.0
// Calls made one after another on a thread of its own, beside the caller. The thread is started by
// the first call. Behind one that threw, none is made: finish() throws what it threw.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace stepscope::trainers {

class CallQueue {
 public:
  CallQueue() = default;
  // Waits for the call that is being made; drops the rest.
  ~CallQueue();
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;

  void begin(std::function<void()> call);
  // Returns when all that were begun are made.
  void finish();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> calls_;
  bool busy_ = false, stop_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace stepscope::trainers
