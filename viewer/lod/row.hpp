// SPDX-License-Identifier: Apache-2.0
// One row of a lane: events that do not overlap, sorted by begin, and a pyramid over them that
// answers for any span and width without reading every event.
//
//   begin, end, id   a column each; id is the caller's number of the event
//   blocks           of 8 events, a cache line of begins: begin, and the sum of durations before it
//   levels           the longest event of each block, then of each 32 of the level below, with its
//                    length, so that events themselves are read at the two ends of a column only
//
// What limits a frame is memory: with 80 events a pixel, reading each would be reading all of them.
// 3.9 bytes an event beside the columns.
//
// Invariants: begin[i] <= end[i] <= begin[i + 1]. Times: int64 ns. Nothing is dropped: each event
// of a query is in exactly one box, and the boxes' busy time sums to the events' exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "core/support/interval.hpp"

namespace stepscope::viewer {

// What is drawn as one rectangle: one event at least a pixel wide, or all that begin within one
// pixel column.
struct Box {
  Interval time;  // of the event, or of the column
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t longest = 0;  // index of the longest of them
  std::int64_t busy_ns = 0;   // of these events, inside the queried span

  bool single() const { return count == 1; }
};

// Where a column of many events ends. What limits a frame is reading the events at its end, so it
// may end at a block's border, with up to 7 events of its right neighbour: of columns of 64 events
// or more a tenth of a pixel's; of 16 or more, while the view moves, up to half of one.
enum class Precision : std::uint8_t { still, moving };

class Row {
 public:
  void add(std::int64_t begin, std::int64_t end, std::uint32_t id);
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
  std::int64_t duration(std::uint32_t index) const { return end_[index] - begin_[index]; }
  // Of a block's first event without reading the event.
  std::int64_t begin_at(std::uint32_t index) const {
    return index % kLeaf == 0 ? block_begin_[index / kLeaf] : begin_[index];
  }
  static constexpr std::uint32_t kLeaf = 8;  // events a block
  struct Longest {
    std::uint32_t index;
    std::int64_t length;
  };
  Longest longest_of(std::uint32_t first, std::uint32_t last) const;
  std::int64_t busy_before(std::uint32_t index) const;
  std::uint32_t column_end(std::uint32_t first, std::int64_t time, std::uint32_t snap_at) const;

  std::vector<std::int64_t> begin_;
  std::vector<std::int64_t> end_;
  std::vector<std::uint32_t> id_;
  std::vector<std::int64_t> block_begin_;  // begin of each block's first event
  std::vector<std::int64_t> busy_;
  struct Level {
    std::vector<std::int64_t> length;
    std::vector<std::uint32_t> index;
  };
  std::vector<Level> levels_;  // level 0: a block of 8 events
};

}  // namespace stepscope::viewer
