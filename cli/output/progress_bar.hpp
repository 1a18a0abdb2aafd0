// SPDX-License-Identifier: Apache-2.0
// A bar on stderr for work that takes long: it appears after a second, only on a terminal, is
// redrawn ten times a second at most and wiped at the end, so that nothing of it remains.
#pragma once

#include <array>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

#include "core/support/progress.hpp"

namespace stepscope {

class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;

  ProgressBar(std::string title, bool terminal, std::FILE* to = stderr);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  Progress callback();
  void update(std::uint64_t done, std::uint64_t total, Clock::time_point now);

 private:
  void draw(std::uint64_t done, std::uint64_t total) const;

  std::string title_;
  bool terminal_;
  std::FILE* to_;
  Clock::time_point next_;
  bool drawn_ = false;
};

// One bar of two pieces of work that are done at the same time, by two threads.
class SharedProgress {
 public:
  explicit SharedProgress(Progress whole) : whole_(std::move(whole)) {}
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;

  Progress part(std::size_t piece);  // 0 or 1

 private:
  static constexpr std::uint64_t kAll = 1000;  // progress units of a piece

  Progress whole_;
  std::mutex mutex_;
  std::array<std::uint64_t, 2> done_{};
};

}  // namespace stepscope
