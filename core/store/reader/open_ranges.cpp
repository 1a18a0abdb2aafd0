// SPDX-License-Identifier: Apache-2.0
// What was still open when a process's record ended.
#include "core/store/reader/reader_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace stepscope::store {
namespace {

struct Open {
  const OpenRanges* table;
  std::size_t row;
  std::int64_t begin() const { return table->begin[row]; }
};

// One stack of a thread. Ends are applied in time order; by then everything begun before is on it.
struct Lane {
  std::vector<Open> waiting;  // by begin
  std::size_t next = 0;       // row of waiting
  std::vector<Open> stack;

  void begin_until(std::int64_t time) {
    while (next < waiting.size() && waiting[next].begin() <= time) stack.push_back(waiting[next++]);
  }
};

using Lanes = std::map<std::pair<ThreadId, std::uint32_t>, Lane>;

Lanes lanes_of(const std::map<std::uint32_t, Session>& sessions) {
  Lanes lanes;
  for (const auto& [id, session] : sessions) {
    const OpenRanges& open = session.open;
    for (std::size_t i = 0; i < open.size(); ++i) {
      lanes[{open.thread[i], open.lane[i]}].waiting.push_back({&open, i});
    }
  }
  for (auto& [key, lane] : lanes) {
    std::stable_sort(lane.waiting.begin(), lane.waiting.end(),
                     [](const Open& a, const Open& b) { return a.begin() < b.begin(); });
  }
  return lanes;
}

void append(const Open& range, std::int64_t end, HostRanges& h) {
  const OpenRanges& o = *range.table;
  h.begin.push_back(range.begin());
  h.end.push_back(std::max(end, range.begin()));
  h.name.push_back(o.name[range.row]);
  h.thread.push_back(o.thread[range.row]);
  h.kind.push_back(o.kind[range.row]);
  h.category.push_back(o.category[range.row]);
  h.site.push_back(o.site[range.row]);
  h.sequence.push_back(o.sequence[range.row]);
  h.forward_thread.push_back(kNone);
}

// Returns how many ends matched nothing.
std::uint64_t apply_late_ends(const LateEnds& ends, Lanes& lanes, HostRanges& h) {
  std::vector<std::size_t> order(ends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&ends](std::size_t a, std::size_t b) { return ends.time[a] < ends.time[b]; });
  std::uint64_t unmatched = 0;
  for (std::size_t i : order) {
    const auto found = lanes.find({ends.thread[i], ends.lane[i]});
    if (found != lanes.end()) found->second.begin_until(ends.time[i]);
    if (found == lanes.end() || found->second.stack.empty()) {
      ++unmatched;
      continue;
    }
    append(found->second.stack.back(), ends.time[i], h);
    found->second.stack.pop_back();
  }
  return unmatched;
}

}  // namespace

void end_open_ranges(FileState& file, const std::string& name) {
  HostRanges& h = file.out.host_ranges;
  Lanes lanes = lanes_of(file.sessions);
  file.out.health.skipped_events += apply_late_ends(file.late_ends, lanes, h);
  std::uint64_t open = 0;
  for (auto& [key, lane] : lanes) {
    lane.begin_until(std::numeric_limits<std::int64_t>::max());
    for (const Open& range : lane.stack) append(range, file.last_ns, h);
    open += lane.stack.size();
  }
  if (open == 0) return;
  file.out.health.notes.push_back(fmt::format(
      "{}: {} ranges had not ended when the record did; they are shown up to its last event", name,
      open));
}

}  // namespace stepscope::store
