// SPDX-License-Identifier: Apache-2.0
#include "viewer/lod/row.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace stepscope::viewer {
namespace {

constexpr std::uint32_t kFanBits = 2;
constexpr std::uint32_t kFan = 1U << kFanBits;
// A column that holds this many blocks or more ends at a block's border.
constexpr std::uint32_t kSnapAt = 8;
constexpr std::uint32_t kSnapWhileMoving = 2;
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

struct Column {
  std::int64_t index = -1;
  Interval time;
};

// The column of `t`, which is not left of the last one: mostly the next, so that one division does.
Column column_of(Interval span, int pixels, std::int64_t t, const Column& last) {
  if (t < last.time.end) return last;
  std::int64_t end = column_begin(span, pixels, last.index + 2);
  if (t < end) return {last.index + 1, {last.time.end, end}};
  std::int64_t index = scaled(t - span.begin, pixels, span.length());
  while ((end = column_begin(span, pixels, index + 1)) <= t) ++index;  // rounding of column begins
  return {index, {column_begin(span, pixels, index), end}};
}

std::int64_t clipped(Interval time, Interval span) {
  return intersect(time, span).length();
}

}  // namespace

void Row::add(std::int64_t begin, std::int64_t end, std::uint32_t id, std::uint32_t look) {
  assert(begin <= end && begin >= last_end());
  begin_.push_back(begin);
  end_.push_back(end);
  id_.push_back(id);
  look_.push_back(look);
}

void Row::finish() {
  begin_.shrink_to_fit();
  end_.shrink_to_fit();
  id_.shrink_to_fit();
  look_.shrink_to_fit();
  levels_.assign(1, {});
  levels_[0].reserve(blocks_of(size(), kLeaf));
  std::int64_t busy = 0;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const Longest own = {length(i), i, look_[i]};
    if (i % kLeaf == 0) {
      levels_[0].push_back({begin_[i], busy, own});
    } else if (own.length > levels_[0].back().longest.length) {
      levels_[0].back().longest = own;
    }
    busy += own.length;
  }
  while (levels_.back().size() > kFan) {
    const Level& below = levels_.back();
    Level level;
    level.reserve(blocks_of(below.size(), kFan));
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (i % kFan == 0) {
        level.push_back(below[i]);
      } else if (below[i].longest.length > level.back().longest.length) {
        level.back().longest = below[i].longest;
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

// Returns the highest level's block that begins at this border: a column that ends there has just
// read it.
const Row::Block& Row::block_at(std::uint32_t border) const {
  const std::uint32_t block = border / kLeaf;
  const auto top = static_cast<std::uint32_t>(levels_.size() - 1);
  const std::uint32_t level =
      std::min(top, static_cast<std::uint32_t>(std::countr_zero(block)) / kFanBits);
  return levels_[level][block >> (level * kFanBits)];
}

std::int64_t Row::begin_at(std::uint32_t index) const {
  return index % kLeaf == 0 ? block_at(index).begin : begin_[index];
}

std::int64_t Row::busy_before(std::uint32_t index) const {
  if (index >= size()) return index == 0 ? 0 : busy_before(index - 1) + length(index - 1);
  if (index % kLeaf == 0) return block_at(index).busy_before;
  std::int64_t busy = levels_[0][index / kLeaf].busy_before;
  for (std::uint32_t i = index / kLeaf * kLeaf; i < index; ++i) busy += length(i);
  return busy;
}

std::int64_t Row::busy_ns(std::uint32_t first, std::uint32_t last) const {
  return busy_before(last) - busy_before(first);
}

std::uint32_t Row::longest(std::uint32_t first, std::uint32_t last) const {
  return longest_of(first, last).index;
}

// Events at the ragged ends, then blocks, then up the levels: what is ragged there is read block by
// block, whole groups one level up. Between two borders of blocks no event is read.
Row::Longest Row::longest_of(std::uint32_t first, std::uint32_t last) const {
  Longest event{-1, first, 0};
  Longest block{-1, first, 0};
  const auto events = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) {
      if (length(i) > event.length) event = {length(i), i, 0};
    }
  };
  const auto blocks = [&](const Level& level, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) {
      if (level[i].longest.length > block.length) block = level[i].longest;
    }
  };
  std::uint32_t up_first = blocks_of(first, kLeaf);
  std::uint32_t up_last = last / kLeaf;
  const bool has_blocks = up_first < up_last;
  events(first, has_blocks ? up_first * kLeaf : last);
  if (has_blocks) events(up_last * kLeaf, last);
  for (std::size_t at = 0; up_first < up_last; ++at) {
    first = up_first;
    last = up_last;
    up_first = blocks_of(first, kFan);
    up_last = last / kFan;
    if (at + 1 == levels_.size() || up_first >= up_last) {
      blocks(levels_[at], first, last);
      break;
    }
    blocks(levels_[at], first, up_first * kFan);
    blocks(levels_[at], up_last * kFan, last);
  }
  if (block.length > event.length) return block;
  if (event.length >= 0) event.look = look_[event.index];
  return event;
}

// The highest level of whose blocks columns of so many events on average hold enough.
std::size_t Row::level_of(std::uint32_t events_per_column, std::uint32_t blocks) const {
  std::size_t level = 0;
  while (level + 1 < levels_.size() &&
         std::size_t{blocks} * (kLeaf << (kFanBits * (level + 1))) <= events_per_column)
    ++level;
  return level;
}

// Returns where a column ends: at the border of the largest blocks of which the column holds
// `blocks`, from those of level `top` down; else exactly where the first event begins at `time` or
// later.
std::uint32_t Row::column_end(std::uint32_t first, std::int64_t time, std::uint32_t blocks,
                              std::size_t top) const {
  std::uint32_t border = 0;
  for (std::size_t at = top + 1; at-- > 0;) {
    const Level& level = levels_[at];
    const std::uint32_t events = kLeaf << (kFanBits * at);
    const std::size_t block = gallop(first / events + 1, static_cast<std::uint32_t>(level.size()),
                                     [&](std::uint32_t i) { return level[i].begin < time; });
    border = static_cast<std::uint32_t>(std::min(size(), block * events));
    if ((border - first) / events >= blocks) return border;
  }
  std::uint32_t end = std::max(first, (blocks_of(border, kLeaf) - 1) * kLeaf);
  while (end < border && begin_[end] < time) ++end;
  return end;
}

void Row::boxes(Interval span, int pixels, std::vector<Box>& out, Precision precision) const {
  out.clear();
  if (span.empty() || pixels <= 0) return;
  const std::uint32_t snap_at = precision == Precision::still ? kSnapAt : kSnapWhileMoving;
  const auto total = static_cast<std::uint32_t>(size());
  const std::int64_t pixel_ns = std::max<std::int64_t>(1, span.length() / pixels);
  const auto single = [&](std::uint32_t i) {
    out.push_back({time(i), i, 1, i, look_[i], clipped(time(i), span)});
  };
  std::uint32_t at = first_ending_after(span.begin);
  const std::uint32_t per_column =
      (first_beginning_at(span.end) - at) / static_cast<std::uint32_t>(pixels);
  const std::size_t top = level_of(per_column, snap_at);
  std::int64_t busy = busy_before(at);  // carried from box to box
  Column column{-1, {span.begin, span.begin}};
  while (at < total && begin_at(at) < span.end) {
    const std::int64_t begin = begin_at(at);
    if (begin < span.begin) {
      single(at);
      busy += length(at++);
      continue;
    }
    column = column_of(span, pixels, begin, column);
    const std::int64_t end = std::min(column.time.end, span.end);
    std::uint32_t last = std::max(at + 1, end == span.end ? column_end(at, end, kNeverSnap, 0)
                                                          : column_end(at, end, snap_at, top));
    // An event a pixel long or more is drawn alone: the column ends before it.
    Longest best = longest_of(at, last);
    while (best.length >= pixel_ns && best.index > at) {
      last = best.index;
      best = longest_of(at, last);
    }
    if (best.length >= pixel_ns) {
      single(at);
      busy += length(at++);
      continue;
    }
    const std::int64_t busy_after = busy_before(last);
    Box box{column.time, at, last - at, best.index, best.look, busy_after - busy};
    // Only what the right edge cuts needs clipping, and only near to it can it be.
    if (end + 2 * pixel_ns >= span.end) {
      for (std::uint32_t i = last; i-- > at && end_[i] > span.end;)
        box.busy_ns -= length(i) - clipped(this->time(i), span);
    }
    out.push_back(box);
    at = last;
    busy = busy_after;
  }
}

std::size_t Row::memory_bytes() const {
  std::size_t bytes = size() * (2 * sizeof(std::int64_t) + 2 * sizeof(std::uint32_t));
  for (const Level& level : levels_) bytes += level.size() * sizeof(Block);
  return bytes;
}

}  // namespace stepscope::viewer
