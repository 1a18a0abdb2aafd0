// SPDX-License-Identifier: Apache-2.0
// What one thread was doing at each moment: its ranges flattened to pieces, each with the innermost
// range, that is, of all ranges active there the one with the latest begin (ranges of different
// families may cross, so this is not always the one with the earliest end).
//
// Pieces tile (-inf, +inf): piece i covers [begin, begin of piece i+1); innermost kNone: nothing
// active.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

enum class TimelineOf : std::uint8_t {
  work,         // everything but annotations (data loader scopes count): what owns host time
  annotations,  // user scopes and NVTX ranges: what phases are made of
  calls,        // ops and API calls: proof that the thread itself was active
};

struct Piece {
  Interval time;
  RangeId innermost = kNone;
};

// Remembers where the last search ended: a walk asks for one piece after the other, so the next
// answer is near. A hint never changes an answer, and threads may share it.
class SearchHint {
 public:
  SearchHint() = default;
  SearchHint(const SearchHint&) {}
  SearchHint& operator=(const SearchHint&) { return *this; }
  std::size_t get() const { return at_.load(std::memory_order_relaxed); }
  void set(std::size_t at) const { at_.store(at, std::memory_order_relaxed); }

 private:
  mutable std::atomic<std::size_t> at_{0};
};

class HostTimeline {
 public:
  HostTimeline(const Trace& trace, ThreadId thread, TimelineOf what);

  // Returns the piece that contains t - 1 (a walk goes backwards). The outermost pieces reach to
  // the ends of int64.
  Piece piece_before(std::int64_t t) const;
  // Returns the piece that contains t.
  Piece at(std::int64_t t) const;
  // Returns the first piece with a range that begins at or after t; innermost kNone where none
  // does.
  Piece next_range(std::int64_t t) const;
  // Returns the last piece with a range that begins before t; innermost kNone where none does.
  Piece previous_range(std::int64_t t) const;

  std::size_t size() const { return pieces_.size(); }
  Piece piece(std::size_t index) const;

 private:
  struct Start {
    std::int64_t begin;
    RangeId innermost;
  };
  std::size_t index_at(std::int64_t t) const;
  void push(std::int64_t begin, RangeId innermost);
  void close_until(const HostRanges& ranges, std::int64_t t, std::vector<RangeId>& open);

  std::vector<Start> pieces_;  // the first begins at int64 min
  SearchHint hint_;            // an index that was valid
};

}  // namespace stepscope
