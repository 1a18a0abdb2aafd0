// SPDX-License-Identifier: Apache-2.0
#include "cli/output/progress_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stepscope {
namespace {

constexpr std::chrono::milliseconds kBefore{1000};
constexpr std::chrono::milliseconds kBetween{100};
constexpr std::size_t kWidth = 30;

}  // namespace

ProgressBar::ProgressBar(std::string title, bool terminal, std::FILE* to)
    : title_(std::move(title)), terminal_(terminal), to_(to), next_(Clock::now() + kBefore) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(to_, "\r\x1b[K");
  if (drawn_) std::fflush(to_);
}

Progress ProgressBar::callback() {
  if (!terminal_) return {};
  return [this](std::uint64_t done, std::uint64_t total) { update(done, total, Clock::now()); };
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total, Clock::time_point now) {
  if (!terminal_ || now < next_) return;
  next_ = now + kBetween;
  drawn_ = true;
  draw(done, total);
}

void ProgressBar::draw(std::uint64_t done, std::uint64_t total) const {
  if (total == 0) {
    fmt::print(to_, "\r\x1b[K{} {} MB", title_, done / 1'000'000);
  } else {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(kWidth));
    fmt::print(to_, "\r\x1b[K{} [{:<{}}] {:3.0f} %", title_, std::string(filled, '='), kWidth,
               100 * share);
  }
  std::fflush(to_);
}

Progress SharedProgress::part(std::size_t piece) {
  if (!whole_) return {};
  return [this, piece](std::uint64_t done, std::uint64_t total) {
    const std::lock_guard lock(mutex_);
    done_[piece] = total == 0 ? 0 : kAll * std::min(done, total) / total;
    whole_(done_[0] + done_[1], 2 * kAll);
  };
}

}  // namespace stepscope
