// SPDX-License-Identifier: Apache-2.0
#include "viewer/lod/row.hpp"

#include <algorithm>
#include <cassert>

namespace stepscope::viewer {
namespace {

constexpr std::uint32_t kFan = 32;
// A column of this many events or more ends at a block's border: at most 31 events, a twelfth of a
// pixel's, stand one column further left.
constexpr std::uint32_t kSnapAt = 256;

std::uint32_t blocks_of(std::size_t count) {
  return static_cast<std::uint32_t>((count + kFan - 1) / kFan);
}

// First of [from, to) for which `is_before` no longer holds, by doubling steps: near answers are
// cheap, and a query walks from left to right.
template <class IsBefore>
std::uint32_t gallop(std::uint32_t from, std::uint32_t to, IsBefore is_before) {
  std::uint32_t step = 1;
  std::uint32_t low = from;
  while (low < to && is_before(low)) {
    from = low + 1;
    low = to - low > step ? low + step : to;
    step *= 2;
  }
  std::uint32_t high = low;
  while (from < high) {
    const std::uint32_t middle = from + (high - from) / 2;
    if (is_before(middle)) {
      from = middle + 1;
    } else {
      high = middle;
    }
  }
  return from;
}

// a * b / c. Days of ns times pixels fit 63 bits; 128 are for the rest, at five times the cost.
std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
  constexpr std::int64_t kFits = std::int64_t{1} << 31;
  constexpr std::int64_t kFitsBig = std::int64_t{1} << 48;
  const bool fits =
      (a < kFits && b < kFits) || (a < kFitsBig && b < 16'384) || (b < kFitsBig && a < 16'384);
  if (fits) return a * b / c;
  return static_cast<std::int64_t>(static_cast<__int128>(a) * b / c);
}

std::int64_t column_begin(Interval span, int pixels, std::int64_t index) {
  return span.begin + scaled(span.length(), index, pixels);
}

std::int64_t column_of(Interval span, int pixels, std::int64_t t) {
  if (t <= span.begin) return 0;
  std::int64_t index = scaled(t - span.begin, pixels, span.length());
  while (column_begin(span, pixels, index + 1) <= t) ++index;  // rounding of column begins
  return index;
}

std::int64_t clipped(Interval time, Interval span) {
  return intersect(time, span).length();
}

}  // namespace

void Row::add(std::int64_t begin, std::int64_t end, std::uint32_t id) {
  assert(begin <= end && begin >= last_end());
  begin_.push_back(begin);
  end_.push_back(end);
  id_.push_back(id);
}

void Row::longer(std::uint32_t& best, std::uint32_t candidate) const {
  if (duration(candidate) > duration(best)) best = candidate;
}

void Row::finish() {
  begin_.shrink_to_fit();
  end_.shrink_to_fit();
  id_.shrink_to_fit();
  const std::uint32_t blocks = blocks_of(size());
  longest_.assign(1, std::vector<std::uint32_t>(blocks));
  std::int64_t busy = 0;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::uint32_t first = block * kFan;
    const auto last = static_cast<std::uint32_t>(std::min<std::size_t>(size(), first + kFan));
    block_begin_.push_back(begin_[first]);
    busy_.push_back(busy);
    std::uint32_t best = first;
    for (std::uint32_t i = first; i < last; ++i) {
      busy += duration(i);
      longer(best, i);
    }
    longest_[0][block] = best;
  }
  while (longest_.back().size() > kFan) {
    const std::vector<std::uint32_t>& below = longest_.back();
    std::vector<std::uint32_t> level(blocks_of(below.size()), 0);
    for (std::size_t i = 0; i < below.size(); ++i) {
      std::uint32_t& best = level[i / kFan];
      if (i % kFan == 0) best = below[i];
      longer(best, below[i]);
    }
    longest_.push_back(std::move(level));
  }
}

std::uint32_t Row::first_ending_after(std::int64_t t) const {
  const auto at = std::upper_bound(end_.begin(), end_.end(), t);
  auto index = static_cast<std::uint32_t>(at - end_.begin());
  while (index > 0 && begin_[index - 1] >= t) --index;  // empty events at t itself
  return index;
}

std::uint32_t Row::first_beginning_at(std::int64_t t) const {
  return static_cast<std::uint32_t>(std::lower_bound(begin_.begin(), begin_.end(), t) -
                                    begin_.begin());
}

std::int64_t Row::busy_before(std::uint32_t index) const {
  if (index >= size()) return index == 0 ? 0 : busy_before(index - 1) + duration(index - 1);
  std::int64_t busy = busy_[index / kFan];
  for (std::uint32_t i = index / kFan * kFan; i < index; ++i) busy += duration(i);
  return busy;
}

std::int64_t Row::busy_ns(std::uint32_t first, std::uint32_t last) const {
  return busy_before(last) - busy_before(first);
}

// Up the levels: ragged ends are read event by event (block by block), whole blocks one level up.
std::uint32_t Row::longest(std::uint32_t first, std::uint32_t last) const {
  std::uint32_t best = first;
  const auto scan = [&](std::size_t level, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) longer(best, level == 0 ? i : longest_[level - 1][i]);
  };
  for (std::size_t level = 0;; ++level) {
    const std::uint32_t up_first = blocks_of(first);
    const std::uint32_t up_last = last / kFan;
    if (level == longest_.size() || up_first >= up_last) {
      scan(level, first, last);
      return best;
    }
    scan(level, first, up_first * kFan);
    scan(level, up_last * kFan, last);
    first = up_first;
    last = up_last;
  }
}

std::uint32_t Row::column_end(std::uint32_t first, std::int64_t time, bool exact) const {
  const auto blocks = static_cast<std::uint32_t>(block_begin_.size());
  const std::uint32_t block =
      gallop(first / kFan + 1, blocks, [&](std::uint32_t i) { return block_begin_[i] < time; });
  const auto border =
      static_cast<std::uint32_t>(std::min<std::size_t>(size(), std::size_t{block} * kFan));
  if (!exact && border - first >= kSnapAt) return border;
  const std::uint32_t from = std::max(first, (block - 1) * kFan);
  return gallop(from, border, [&](std::uint32_t i) { return begin_[i] < time; });
}

Box Row::column(std::uint32_t first, std::uint32_t last, Interval time) const {
  return {time, first, last - first, longest(first, last), busy_ns(first, last)};
}

void Row::boxes(Interval span, int pixels, std::vector<Box>& out) const {
  out.clear();
  if (span.empty() || pixels <= 0) return;
  const auto total = static_cast<std::uint32_t>(size());
  const std::int64_t pixel_ns = std::max<std::int64_t>(1, span.length() / pixels);
  const auto single = [&](std::uint32_t i) {
    out.push_back({time(i), i, 1, i, clipped(time(i), span)});
  };
  std::uint32_t at = first_ending_after(span.begin);
  while (at < total && begin_[at] < span.end) {
    if (duration(at) >= pixel_ns || begin_[at] < span.begin) {
      single(at++);
      continue;
    }
    const std::int64_t index = column_of(span, pixels, begin_[at]);
    const Interval time = {column_begin(span, pixels, index),
                           column_begin(span, pixels, index + 1)};
    const std::int64_t end = std::min(time.end, span.end);
    std::uint32_t last = std::max(at + 1, column_end(at, end, end == span.end));
    // An event a pixel long or more is drawn alone: the column ends before it.
    const std::uint32_t best = longest(at, last);
    if (duration(best) >= pixel_ns) last = best;
    // Within this one only what the right edge cuts needs clipping.
    Box box = column(at, last, time);
    for (std::uint32_t i = last; i-- > at && end_[i] > span.end;)
      box.busy_ns -= duration(i) - clipped(this->time(i), span);
    out.push_back(box);
    at = last;
  }
}

std::size_t Row::memory_bytes() const {
  std::size_t bytes = size() * (2 * sizeof(std::int64_t) + sizeof(std::uint32_t));
  bytes += (block_begin_.size() + busy_.size()) * sizeof(std::int64_t);
  for (const auto& level : longest_) bytes += level.size() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace stepscope::viewer
