// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/host_timeline.hpp"

#include <algorithm>
#include <limits>

namespace stepscope {
namespace {

constexpr std::int64_t kBeginOfTime = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();

// A loader's scope says what the thread does, whatever frames lie around it.
bool says_what_is_done(const Trace& trace, RangeId range) {
  return trace.host_ranges().kind[range] == HostKind::user_scope &&
         trace.text(trace.host_ranges().name[range]).starts_with("enumerate(DataLoader)");
}

bool belongs(const Trace& trace, RangeId range, TimelineOf what) {
  const HostFamily family = family_of(trace.host_ranges().kind[range]);
  switch (what) {
    case TimelineOf::work:
      return family != HostFamily::annotation || says_what_is_done(trace, range);
    case TimelineOf::annotations:
      return family == HostFamily::annotation;
    case TimelineOf::calls:
      return family == HostFamily::op || family == HostFamily::api;
  }
  return false;
}

std::size_t count_of(const Trace& trace, Rows rows, TimelineOf what) {
  std::size_t count = 0;
  for (RangeId r = rows.begin; r < rows.end; ++r) count += belongs(trace, r, what) ? 1U : 0U;
  return count;
}

}  // namespace

HostTimeline::HostTimeline(const Trace& trace, ThreadId thread, TimelineOf what) {
  const HostRanges& ranges = trace.host_ranges();
  const Rows rows = trace.ranges_of(thread);
  std::vector<RangeId> open;
  // The most that there can be: what is not used is never touched, and growing would copy it all.
  pieces_.reserve(2 * count_of(trace, rows, what) + 1);
  pieces_.push_back({kBeginOfTime, kNone});
  for (RangeId r = rows.begin; r < rows.end; ++r) {
    if (!belongs(trace, r, what) || ranges.end[r] <= ranges.begin[r]) continue;
    close_until(ranges, ranges.begin[r], open);
    push(ranges.begin[r], r);
    open.push_back(r);
  }
  close_until(ranges, kEndOfTime, open);
}

void HostTimeline::push(std::int64_t begin, RangeId innermost) {
  if (pieces_.back().begin == begin) pieces_.pop_back();
  if (!pieces_.empty() && pieces_.back().innermost == innermost) return;
  pieces_.push_back({begin, innermost});
}

// Ranges on the stack that ended while a later one hid them never become innermost again.
void HostTimeline::close_until(const HostRanges& ranges, std::int64_t t,
                               std::vector<RangeId>& open) {
  while (!open.empty() && ranges.end[open.back()] <= t) {
    const std::int64_t end = ranges.end[open.back()];
    while (!open.empty() && ranges.end[open.back()] <= end) open.pop_back();
    push(end, open.empty() ? kNone : open.back());
  }
}

Piece HostTimeline::piece(std::size_t index) const {
  const bool last = index + 1 == pieces_.size();
  return {{pieces_[index].begin, last ? kEndOfTime : pieces_[index + 1].begin},
          pieces_[index].innermost};
}

// The last piece that begins at or before t: from the hint in growing strides, then by halves.
std::size_t HostTimeline::index_at(std::int64_t t) const {
  std::size_t low = hint_.get();
  std::size_t high = low + 1;
  std::size_t stride = 1;
  if (pieces_[low].begin <= t) {
    for (; high < pieces_.size() && pieces_[high].begin <= t; stride *= 2) {
      low = high;
      high = std::min(high + stride, pieces_.size());
    }
  } else {
    for (; pieces_[low].begin > t; stride *= 2) {
      high = low;
      low = low > stride ? low - stride : 0;
    }
  }
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (pieces_[middle].begin <= t ? low : high) = middle;
  }
  hint_.set(low);
  return low;
}

Piece HostTimeline::at(std::int64_t t) const {
  return piece(index_at(t));
}

Piece HostTimeline::piece_before(std::int64_t t) const {
  return at(t - 1);
}

Piece HostTimeline::next_range(std::int64_t t) const {
  std::size_t from = t == kBeginOfTime ? 0 : index_at(t - 1) + 1;
  while (from < pieces_.size() && pieces_[from].innermost == kNone) ++from;
  if (from == pieces_.size()) return {{kEndOfTime, kEndOfTime}, kNone};
  return piece(from);
}

Piece HostTimeline::previous_range(std::int64_t t) const {
  std::size_t behind = t == kBeginOfTime ? 0 : index_at(t - 1) + 1;
  while (behind > 0 && pieces_[behind - 1].innermost == kNone) --behind;
  if (behind == 0) return {{kBeginOfTime, kBeginOfTime}, kNone};
  return piece(behind - 1);
}

}  // namespace stepscope
