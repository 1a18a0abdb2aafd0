// SPDX-License-Identifier: Apache-2.0
#include "viewer/lod/curve.hpp"

#include <algorithm>
#include <cassert>

namespace stepscope::viewer {
namespace {

constexpr std::size_t kCurveFan = 32;

}  // namespace

void Curve::add(std::int64_t time, double value) {
  assert(time_.empty() || time >= time_.back());
  time_.push_back(time);
  value_.push_back(value);
}

void Curve::merge(Block& into, const Block& one) const {
  into.least = std::min(into.least, one.least);
  into.most = std::max(into.most, one.most);
  into.sum += one.sum;
}

void Curve::finish() {
  std::vector<Block> below;
  for (const double value : value_) below.push_back({value, value, value});
  while (!below.empty()) {
    std::vector<Block> level;
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (i % kCurveFan == 0) {
        level.push_back(below[i]);
      } else {
        merge(level.back(), below[i]);
      }
    }
    levels_.push_back(level);
    whole_ = level.front();
    if (level.size() == 1) break;
    below = std::move(level);
  }
}

// Ragged ends are read one by one, whole blocks a level up.
Curve::Block Curve::sum_of(std::size_t first, std::size_t last) const {
  Block out{value_[first], value_[first], 0};
  const auto read = [&](std::size_t level, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      merge(out, level == 0 ? Block{value_[i], value_[i], value_[i]} : levels_[level - 1][i]);
  };
  for (std::size_t level = 0;; ++level) {
    const std::size_t up_first = (first + kCurveFan - 1) / kCurveFan;
    const std::size_t up_last = last / kCurveFan;
    if (level == levels_.size() || up_first >= up_last) {
      read(level, first, last);
      return out;
    }
    read(level, first, up_first * kCurveFan);
    read(level, up_last * kCurveFan, last);
    first = up_first;
    last = up_last;
  }
}

void Curve::columns(Interval span, int pixels, std::vector<CurveColumn>& out) const {
  out.clear();
  if (span.empty() || pixels <= 0) return;
  const auto index = [&](std::int64_t t) {
    return static_cast<std::size_t>(std::lower_bound(time_.begin(), time_.end(), t) -
                                    time_.begin());
  };
  std::size_t at = index(span.begin);
  if (at > 0)
    out.push_back(
        {time_[at - 1], 1, value_[at - 1], value_[at - 1], value_[at - 1], value_[at - 1]});
  const double pixel = static_cast<double>(span.length()) / pixels;
  while (at < size() && time_[at] < span.end) {
    const double column = static_cast<double>(time_[at] - span.begin) / pixel;
    const auto end =
        span.begin + static_cast<std::int64_t>(
                         (static_cast<double>(static_cast<std::int64_t>(column)) + 1) * pixel);
    const std::size_t last =
        std::max(at + 1, index(std::min(std::max(end, time_[at] + 1), span.end)));
    const Block sum = sum_of(at, last);
    out.push_back({time_[at], static_cast<std::uint32_t>(last - at), sum.least, sum.most,
                   sum.sum / static_cast<double>(last - at), value_[last - 1]});
    at = last;
  }
}

bool Curve::value_at(std::int64_t t, double& value) const {
  const auto after = std::upper_bound(time_.begin(), time_.end(), t);
  if (after == time_.begin()) return false;
  value = value_[static_cast<std::size_t>(after - time_.begin()) - 1];
  return true;
}

}  // namespace stepscope::viewer
