// SPDX-License-Identifier: Apache-2.0
// Which span of time is on screen. Times are int64 ns; only differences to the span's begin become
// floating point. The span is never shorter than kLeastSpan, and its middle stays within the run.
#pragma once

#include <vector>

#include "core/support/interval.hpp"

namespace stepscope::viewer {

inline constexpr std::int64_t kLeastSpan = 100;

class Viewport {
 public:
  explicit Viewport(Interval whole);

  Interval span() const { return span_; }
  Interval whole() const { return whole_; }

  // factor < 1 comes closer; the time `about` keeps its place on screen.
  void zoom(std::int64_t about, double factor);
  void pan(std::int64_t ns);
  // Shows `time` with `margin` of its length on each side.
  void fit(Interval time, double margin = 0.02);
  // Moves, without zooming unless `time` is too long, until `time` is on screen.
  void reveal(Interval time);

  // This span exactly, wherever it lies: of a run beside another.
  void show(Interval span);

  double x_of(std::int64_t t, double width) const;
  std::int64_t time_at(double x, double width) const;

  // Remembers the span for undo(); repeated calls with the same `gesture` remember it once.
  void remember(int gesture);
  bool undo();

 private:
  void set(std::int64_t begin, std::int64_t length);

  Interval whole_;
  Interval span_;
  std::vector<Interval> earlier_;
  int gesture_ = 0;
};

}  // namespace stepscope::viewer
