// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host_timeline.hpp"

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

}  // namespace

RangeId enclosing_range(const HostRanges& ranges, RangeId range) {
  RangeId around = ranges.parent[range];
  while (around != kNone && ranges.end[around] < ranges.end[range]) around = ranges.parent[around];
  return around;
}

HostTimeline::HostTimeline(const Trace& trace, ThreadId thread, TimelineOf what) {
  const HostRanges& ranges = trace.host_ranges();
  const Rows rows = trace.ranges_of(thread);
  std::vector<RangeId> open;
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

Piece HostTimeline::at(std::int64_t t) const {
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), t,
                       [](std::int64_t time, const Start& s) { return time < s.begin; });
  return piece(static_cast<std::size_t>(after - pieces_.begin()) - 1);
}

Piece HostTimeline::before(std::int64_t t) const {
  return at(t - 1);
}

Piece HostTimeline::next_range(std::int64_t t) const {
  auto from = std::lower_bound(pieces_.begin(), pieces_.end(), t,
                               [](const Start& s, std::int64_t time) { return s.begin < time; });
  while (from != pieces_.end() && from->innermost == kNone) ++from;
  if (from == pieces_.end()) return {{kEndOfTime, kEndOfTime}, kNone};
  return piece(static_cast<std::size_t>(from - pieces_.begin()));
}

Piece HostTimeline::previous_range(std::int64_t t) const {
  auto from = std::lower_bound(pieces_.begin(), pieces_.end(), t,
                               [](const Start& s, std::int64_t time) { return s.begin < time; });
  while (from != pieces_.begin()) {
    --from;
    if (from->innermost != kNone) return piece(static_cast<std::size_t>(from - pieces_.begin()));
  }
  return {{kBeginOfTime, kBeginOfTime}, kNone};
}

}  // namespace stepscope
