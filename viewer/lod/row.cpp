// SPDX-License-Identifier: Apache-2.0
#include "viewer/lod/row.hpp"

#include <algorithm>
#include <cassert>

namespace stepscope::viewer {
namespace {

constexpr std::uint32_t kFan = 32;
// A column of this many events or more ends at a block's border.
constexpr std::uint32_t kSnapAt = 64;
constexpr std::uint32_t kSnapWhileMoving = 16;
constexpr std::uint32_t kNeverSnap = UINT32_MAX;

std::uint32_t blocks_of(std::size_t count, std::uint32_t size) {
  return static_cast<std::uint32_t>((count + size - 1) / size);
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

void Row::finish() {
  begin_.shrink_to_fit();
  end_.shrink_to_fit();
  id_.shrink_to_fit();
  const std::uint32_t blocks = blocks_of(size(), kLeaf);
  block_begin_.reserve(blocks);
  busy_.reserve(blocks);
  levels_.assign(1, {std::vector<std::int64_t>(blocks), std::vector<std::uint32_t>(blocks)});
  std::int64_t busy = 0;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::uint32_t first = block * kLeaf;
    const auto last = static_cast<std::uint32_t>(std::min<std::size_t>(size(), first + kLeaf));
    block_begin_.push_back(begin_[first]);
    busy_.push_back(busy);
    std::uint32_t best = first;
    for (std::uint32_t i = first; i < last; ++i) {
      busy += duration(i);
      if (duration(i) > duration(best)) best = i;
    }
    levels_[0].length[block] = duration(best);
    levels_[0].index[block] = best;
  }
  while (levels_.back().length.size() > kFan) {
    const Level& below = levels_.back();
    Level level;
    for (std::size_t i = 0; i < below.length.size(); ++i) {
      if (i % kFan == 0) {
        level.length.push_back(below.length[i]);
        level.index.push_back(below.index[i]);
      } else if (below.length[i] > level.length.back()) {
        level.length.back() = below.length[i];
        level.index.back() = below.index[i];
      }
    }
    levels_.push_back(std::move(level));
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
  std::int64_t busy = busy_[index / kLeaf];
  for (std::uint32_t i = index / kLeaf * kLeaf; i < index; ++i) busy += duration(i);
  return busy;
}

std::int64_t Row::busy_ns(std::uint32_t first, std::uint32_t last) const {
  return busy_before(last) - busy_before(first);
}

// Events at the ragged ends, then blocks, then up the levels: what is ragged there is read block by
// block, whole groups one level up.
std::uint32_t Row::longest(std::uint32_t first, std::uint32_t last) const {
  return longest_of(first, last).index;
}

// Events at the ragged ends, then blocks, then up the levels: what is ragged there is read block by
// block, whole groups one level up. Between two borders of blocks no event is read.
Row::Longest Row::longest_of(std::uint32_t first, std::uint32_t last) const {
  Longest out{first, -1};
  const auto events = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) {
      if (duration(i) > out.length) out = {i, duration(i)};
    }
  };
  const auto blocks = [&](const Level& level, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) {
      if (level.length[i] > out.length) out = {level.index[i], level.length[i]};
    }
  };
  std::uint32_t up_first = blocks_of(first, kLeaf);
  std::uint32_t up_last = last / kLeaf;
  if (up_first >= up_last) {
    events(first, last);
    return out;
  }
  events(first, up_first * kLeaf);
  events(up_last * kLeaf, last);
  for (std::size_t at = 0;; ++at) {
    first = up_first;
    last = up_last;
    up_first = blocks_of(first, kFan);
    up_last = last / kFan;
    if (at + 1 == levels_.size() || up_first >= up_last) {
      blocks(levels_[at], first, last);
      return out;
    }
    blocks(levels_[at], first, up_first * kFan);
    blocks(levels_[at], up_last * kFan, last);
  }
}

std::uint32_t Row::column_end(std::uint32_t first, std::int64_t time, std::uint32_t snap_at) const {
  const auto blocks = static_cast<std::uint32_t>(block_begin_.size());
  const std::uint32_t block =
      gallop(first / kLeaf + 1, blocks, [&](std::uint32_t i) { return block_begin_[i] < time; });
  const auto border =
      static_cast<std::uint32_t>(std::min<std::size_t>(size(), std::size_t{block} * kLeaf));
  if (border - first >= snap_at) return border;
  std::uint32_t at = std::max(first, (block - 1) * kLeaf);
  while (at < border && begin_[at] < time) ++at;
  return at;
}

void Row::boxes(Interval span, int pixels, std::vector<Box>& out, Precision precision) const {
  out.clear();
  if (span.empty() || pixels <= 0) return;
  const std::uint32_t snap_at = precision == Precision::still ? kSnapAt : kSnapWhileMoving;
  const auto total = static_cast<std::uint32_t>(size());
  const std::int64_t pixel_ns = std::max<std::int64_t>(1, span.length() / pixels);
  const auto single = [&](std::uint32_t i) {
    out.push_back({time(i), i, 1, i, clipped(time(i), span)});
  };
  std::uint32_t at = first_ending_after(span.begin);
  std::int64_t busy = busy_before(at);  // carried from box to box
  while (at < total && begin_at(at) < span.end) {
    const std::int64_t begin = begin_at(at);
    if (begin < span.begin) {
      single(at);
      busy += duration(at++);
      continue;
    }
    const std::int64_t index = column_of(span, pixels, begin);
    const Interval time = {column_begin(span, pixels, index),
                           column_begin(span, pixels, index + 1)};
    const std::int64_t end = std::min(time.end, span.end);
    std::uint32_t last =
        std::max(at + 1, column_end(at, end, end == span.end ? kNeverSnap : snap_at));
    // An event a pixel long or more is drawn alone: the column ends before it.
    Longest best = longest_of(at, last);
    while (best.length >= pixel_ns && best.index > at) {
      last = best.index;
      best = longest_of(at, last);
    }
    if (best.length >= pixel_ns) {
      single(at);
      busy += duration(at++);
      continue;
    }
    const std::int64_t busy_after = busy_before(last);
    Box box{time, at, last - at, best.index, busy_after - busy};
    // Only what the right edge cuts needs clipping, and only near to it can it be.
    if (end + 2 * pixel_ns >= span.end) {
      for (std::uint32_t i = last; i-- > at && end_[i] > span.end;)
        box.busy_ns -= duration(i) - clipped(this->time(i), span);
    }
    out.push_back(box);
    at = last;
    busy = busy_after;
  }
}

std::size_t Row::memory_bytes() const {
  std::size_t bytes = size() * (2 * sizeof(std::int64_t) + sizeof(std::uint32_t));
  bytes += (block_begin_.size() + busy_.size()) * sizeof(std::int64_t);
  for (const Level& level : levels_)
    bytes += level.index.size() * (sizeof(std::int64_t) + sizeof(std::uint32_t));
  return bytes;
}

}  // namespace stepscope::viewer
