// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/optimizer/loop_lines.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace stepscope {
namespace {

constexpr double kUsually = 0.8;  // share of a place's turns
constexpr double kSometimes = 0.2;

// The records of a thread, by begin.
class Records {
 public:
  Records(const Activity& activity, ThreadId thread)
      : trace_(*activity.trace), rows_(trace_.ranges_of(thread)) {}

  // Calls each(range) for those that begin in `time` and have a line, until it says false.
  template <class Each>
  void in(Interval time, Each each) const {
    const std::vector<std::int64_t>& begin = trace_.host_ranges().begin;
    const auto first = begin.begin() + rows_.begin, last = begin.begin() + rows_.end;
    for (auto at = std::lower_bound(first, last, time.begin); at != last && *at < time.end; ++at) {
      const auto range = static_cast<RangeId>(at - begin.begin());
      if (trace_.host_ranges().site[range] != kNone && !each(range)) return;
    }
  }
  SiteId site_id(RangeId range) const { return trace_.host_ranges().site[range]; }
  const Site& site(RangeId range) const { return trace_.data().sites[site_id(range)]; }
  Interval time(RangeId range) const {
    return {trace_.host_ranges().begin[range], trace_.host_ranges().end[range]};
  }

 private:
  const Trace& trace_;
  Rows rows_;
};

using Lines = std::set<std::pair<StringId, std::uint32_t>>;  // file, line

Lines lines_in(const Records& records, Interval time) {
  Lines out;
  records.in(time, [&](RangeId range) {
    out.insert({records.site(range).file, records.site(range).line});
    return true;
  });
  return out;
}

// How often each line ran, by the turn's place in the cycle. The first turn is left aside: it may
// hold the program's start.
struct Counted {
  std::map<std::pair<StringId, std::uint32_t>, std::vector<std::size_t>> times;
  std::vector<std::size_t> turns;
};

Counted counted(const Records& records, const std::vector<Turn>& turns, std::size_t cycle) {
  Counted out{.times = {}, .turns = std::vector<std::size_t>(cycle, 0)};
  for (std::size_t i = 1; i < turns.size(); ++i) {
    ++out.turns[i % cycle];
    for (const auto& line : lines_in(records, turns[i].stretch)) {
      std::vector<std::size_t>& times = out.times[line];
      times.resize(cycle, 0);
      ++times[i % cycle];
    }
  }
  return out;
}

// The line of a record, or of a sample, which has no length.
struct LineSeen {
  Interval time;
  const Site* at;
  bool is_sample;
};

std::vector<LineSeen> seen_in(const Activity& activity, const Records& records, ThreadId thread,
                              Interval time) {
  std::vector<LineSeen> out;
  records.in(time, [&](RangeId range) {
    out.push_back({records.time(range), &records.site(range), false});
    return true;
  });
  const Samples& samples = activity.trace->data().samples;  // by thread and time
  const auto rows = std::equal_range(samples.thread.begin(), samples.thread.end(), thread);
  for (auto row = rows.first; row != rows.second; ++row) {
    const auto sample = static_cast<std::size_t>(row - samples.thread.begin());
    const std::int64_t at = samples.time[sample];
    if (at >= time.end) break;
    if (at < time.begin || samples.site[sample] == kNone) continue;
    out.push_back({{at, at}, &activity.trace->data().sites[samples.site[sample]], true});
  }
  std::stable_sort(out.begin(), out.end(), [](const LineSeen& a, const LineSeen& b) {
    return a.time.begin < b.time.begin;
  });
  return out;
}

}  // namespace

bool run_the_same_lines(const Activity& activity, ThreadId thread, const std::vector<Turn>& turns,
                        std::size_t cycle) {
  const Counted lines = counted(Records(activity, thread), turns, cycle);
  bool any = false;
  for (const auto& [line, times] : lines.times) {
    std::size_t usual = 0, seldom = 0;
    for (std::size_t place = 0; place < cycle; ++place) {
      const auto all = static_cast<double>(lines.turns[place]);
      usual += static_cast<double>(times[place]) >= kUsually * all ? 1U : 0U;
      seldom += static_cast<double>(times[place]) <= kSometimes * all ? 1U : 0U;
    }
    any = any || usual == cycle;
    if (usual != cycle && seldom != cycle) return false;
  }
  return any;
}

void add_later_lines(const Activity& activity, ThreadId thread, const std::vector<RangeId>& scopes,
                     std::vector<Interval>& steps) {
  const Records records(activity, thread);
  std::map<std::int64_t, RangeId> scope_by_end;
  for (const RangeId scope : scopes) scope_by_end[records.time(scope).end] = scope;
  Lines known;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto scope = scope_by_end.find(steps[i].end);
    if (scope == scope_by_end.end() || records.site_id(scope->second) == kNone) continue;
    const Site& own = records.site(scope->second);
    const auto next = scope_by_end.upper_bound(steps[i].end);
    const bool is_last = next == scope_by_end.end();
    const std::int64_t until = is_last ? activity.host.end : records.time(next->second).begin;
    std::int64_t end = steps[i].end;
    Lines later;
    bool comes_round = false;
    for (const LineSeen& seen : seen_in(activity, records, thread, {steps[i].end, until})) {
      const Site& at = *seen.at;
      if (at.file != own.file || at.function != own.function) continue;
      comes_round = at.line <= own.line;
      if (comes_round || (is_last && !known.contains({at.file, at.line}))) break;
      later.insert({at.file, at.line});
      if (!seen.is_sample || is_last) end = std::max(end, std::min(until, seen.time.end));
    }
    if (!comes_round && !is_last) continue;
    known.insert(later.begin(), later.end());
    steps[i].end = end;
    if (i + 1 < steps.size()) steps[i + 1].begin = std::max(steps[i + 1].begin, end);
  }
}

}  // namespace stepscope
