// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/viewport.hpp"

#include <algorithm>
#include <cmath>

namespace stepscope::viewer {
namespace {

constexpr std::size_t kMostRemembered = 200;

std::int64_t rounded(double value) {
  return static_cast<std::int64_t>(std::llround(value));
}

}  // namespace

Viewport::Viewport(Interval whole) : whole_(whole), span_(whole) {
  whole_.end = std::max(whole_.end, whole_.begin + kLeastSpan);
  fit(whole_);
}

void Viewport::set(std::int64_t begin, std::int64_t length) {
  length = std::clamp(length, kLeastSpan, 2 * whole_.length());
  begin = std::clamp(begin, whole_.begin - length / 2, whole_.end - length / 2);
  span_ = {begin, begin + length};
}

void Viewport::zoom(std::int64_t about, double factor) {
  const auto before = static_cast<double>(span_.length());
  const double length = std::clamp(before * factor, static_cast<double>(kLeastSpan),
                                   2.0 * static_cast<double>(whole_.length()));
  const auto left = static_cast<double>(about - span_.begin);
  set(about - rounded(left * length / before), rounded(length));
}

void Viewport::pan(std::int64_t ns) {
  set(span_.begin + ns, span_.length());
}

void Viewport::fit(Interval time, double margin) {
  const std::int64_t edge = rounded(static_cast<double>(time.length()) * margin);
  const std::int64_t length = std::max(time.length() + 2 * edge, kLeastSpan);
  set(time.begin - (length - time.length()) / 2, length);
}

void Viewport::reveal(Interval time) {
  if (time.length() > span_.length()) return fit(time);
  if (time.begin >= span_.begin && time.end <= span_.end) return;
  set(time.begin - (span_.length() - time.length()) / 2, span_.length());
}

void Viewport::show(Interval span) {
  span_ = {span.begin, std::max(span.end, span.begin + kLeastSpan)};
}

double Viewport::x_of(std::int64_t t, double width) const {
  return static_cast<double>(t - span_.begin) * width / static_cast<double>(span_.length());
}

std::int64_t Viewport::time_at(double x, double width) const {
  return span_.begin + rounded(x * static_cast<double>(span_.length()) / std::max(1.0, width));
}

void Viewport::remember(int gesture) {
  if (gesture != 0 && gesture == gesture_) return;
  gesture_ = gesture;
  if (!earlier_.empty() && earlier_.back() == span_) return;
  if (earlier_.size() == kMostRemembered) earlier_.erase(earlier_.begin());
  earlier_.push_back(span_);
}

bool Viewport::undo() {
  gesture_ = 0;
  while (!earlier_.empty()) {
    const Interval last = earlier_.back();
    earlier_.pop_back();
    if (last == span_) continue;
    span_ = last;
    return true;
  }
  return false;
}

}  // namespace stepscope::viewer
