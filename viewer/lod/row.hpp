// SPDX-License-Identifier: Apache-2.0
// One row of a lane: events that do not overlap, sorted by begin, and a pyramid over them that
// answers for any span and width without reading every event.
//
//   begin, end       a column each, and two numbers of the caller's: id, which event it is, and
//   id, look         look, how it is drawn
//   levels           blocks of 8 events, then of 4 blocks of the level below: half a cache line
//                    each, with all that drawing a column needs
//
// Memory bounds the time of a frame: with 80 events a pixel, reading each would be reading all of
// them, and one line of each column that is in no cache is a third of what a frame may take. So a
// column that ends at a block's border reads a few neighbouring blocks of one level and nothing
// else: no event, and no data of the caller's about the longest one. 9.3 bytes an event beside
// begin, end and id.
//
// Invariants: begin[i] <= end[i] <= begin[i + 1]. Times: int64 ns. Nothing is dropped: each event
// of a query is in exactly one box, and the boxes' busy time sums to the events' exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "core/support/interval.hpp"

namespace stepscope::viewer {

// One rectangle to draw: one event at least a pixel wide, or all events that begin within one pixel
// column.
struct Box {
  Interval time;  // the single event's time, or the column's
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t longest = 0;  // index of the longest of them
  std::uint32_t look = 0;     // look of the longest
  std::int64_t busy_ns = 0;   // sum of these events' lengths inside the queried span

  bool single() const { return count == 1; }
};

// Where a column of many events ends. What limits a frame is reading the events at its end, so it
// may end at the border of a block, with up to a share of its own events from its right neighbour:
// an eighth; while the view moves, half.
enum class Precision : std::uint8_t { still, moving };

class Row {
 public:
  void add(std::int64_t begin, std::int64_t end, std::uint32_t id, std::uint32_t look = 0);
  // Once, after the last add.
  void finish();

  std::size_t size() const { return begin_.size(); }
  Interval time(std::uint32_t index) const { return {begin_[index], end_[index]}; }
  std::uint32_t id(std::uint32_t index) const { return id_[index]; }
  std::int64_t last_end() const { return end_.empty() ? INT64_MIN : end_.back(); }

  // Boxes of all events that touch `span`, at `pixels` columns, left to right.
  void boxes(Interval span, int pixels, std::vector<Box>& out,
             Precision precision = Precision::still) const;

  // The first event that ends after `t` (an empty one at t or later counts); size() for none.
  std::uint32_t first_ending_after(std::int64_t t) const;
  std::uint32_t first_beginning_at(std::int64_t t) const;

  // Exact sums over the events [first, last).
  std::int64_t busy_ns(std::uint32_t first, std::uint32_t last) const;
  std::uint32_t longest(std::uint32_t first, std::uint32_t last) const;

  std::size_t memory_bytes() const;

 private:
  static constexpr std::uint32_t kLeaf = 8;  // events a block of level 0
  struct Longest {
    std::int64_t length;
    std::uint32_t index;
    std::uint32_t look;
  };
  struct alignas(32) Block {
    std::int64_t begin;        // begin of its first event
    std::int64_t busy_before;  // sum of all lengths before it
    Longest longest;
  };
  using Level = std::vector<Block>;

  std::int64_t length(std::uint32_t index) const { return end_[index] - begin_[index]; }
  const Block& block_at(std::uint32_t border) const;
  std::int64_t begin_at(std::uint32_t index) const;
  std::int64_t busy_before(std::uint32_t index) const;
  Longest longest_of(std::uint32_t first, std::uint32_t last) const;
  std::size_t level_of(std::uint32_t events_per_column, std::uint32_t blocks) const;
  std::uint32_t column_end(std::uint32_t first, std::int64_t time, std::uint32_t blocks,
                           std::size_t top) const;

  std::vector<std::int64_t> begin_;
  std::vector<std::int64_t> end_;
  std::vector<std::uint32_t> id_;
  std::vector<std::uint32_t> look_;
  std::vector<Level> levels_;
};

}  // namespace stepscope::viewer
