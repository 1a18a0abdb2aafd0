// SPDX-License-Identifier: Apache-2.0
// A thread that makes values ahead of their use, at most so many at a time. An Error, or an
// exception that `make` lets go, is the last value: next() gives it from then on. The destructor
// waits for the value that is being made.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/support/result.hpp"
#include "reference_trainers/common/first_line.hpp"

namespace stepscope::trainers {

template <class T>
class ReadAhead {
 public:
  using Make = std::function<Result<T>()>;

  ReadAhead(std::size_t most, Make make)
      : most_(most), make_(std::move(make)), thread_([this] { work(); }) {}
  ~ReadAhead() {
    {
      const std::lock_guard hold(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  Result<T> next() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return !made_.empty(); });
    return take();
  }

  // Returns what is there already.
  std::optional<Result<T>> ready() {
    const std::lock_guard hold(mutex_);
    if (made_.empty()) return std::nullopt;
    return take();
  }

 private:
  Result<T> take() {
    if (!made_.front()) return made_.front().error();
    Result<T> value = std::move(made_.front());
    made_.pop_front();
    changed_.notify_all();
    return value;
  }

  Result<T> made() {
    try {
      return make_();
    } catch (const std::exception& error) {  // LibTorch throws where memory runs out
      return bad_input(first_line(error));
    }
  }

  void work() {
    for (bool good = true; good;) {
      std::unique_lock hold(mutex_);
      changed_.wait(hold, [this] { return stop_ || made_.size() < most_; });
      if (stop_) return;
      hold.unlock();
      Result<T> value = made();
      good = value.ok();
      hold.lock();
      made_.push_back(std::move(value));
      changed_.notify_all();
    }
  }

  const std::size_t most_;
  const Make make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result<T>> made_;
  bool stop_ = false;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace stepscope::trainers
