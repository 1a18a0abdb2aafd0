// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/call_queue.hpp"

#include <utility>

namespace stepscope::trainers {

CallQueue::~CallQueue() {
  {
    const std::lock_guard hold(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void CallQueue::begin(std::function<void()> call) {
  {
    const std::lock_guard hold(mutex_);
    calls_.push_back(std::move(call));
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  }
  changed_.notify_all();
}

void CallQueue::finish() {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [this] { return (calls_.empty() && !busy_) || failure_; });
  if (failure_) std::rethrow_exception(failure_);
}

void CallQueue::work() {
  std::unique_lock hold(mutex_);
  while (true) {
    changed_.wait(hold, [this] { return stop_ || !calls_.empty(); });
    if (stop_) return;
    const std::function<void()> call = std::move(calls_.front());
    calls_.pop_front();
    busy_ = true;
    hold.unlock();
    std::exception_ptr thrown;
    try {
      call();
    } catch (...) {
      thrown = std::current_exception();
    }
    hold.lock();
    busy_ = false;
    if (thrown) failure_ = thrown;
    changed_.notify_all();
    if (failure_) return;
  }
}

}  // namespace stepscope::trainers
