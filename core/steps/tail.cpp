// SPDX-License-Identifier: Apache-2.0
#include "core/steps/tail.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/steps/bags.hpp"
#include "core/steps/compilation.hpp"
#include "core/steps/empty_fetch.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kMuchOfStep = 0.2;  // share of a usual step's work
constexpr std::uint64_t kLeastExtra = 3;
constexpr double kHeld = 0.9;
constexpr double kSeldom = 0.1;  // share of the steps
constexpr double kLittleElse = 1.3;
constexpr std::int64_t kAtOnce_ns = 1'000'000;

using Counts = std::map<std::uint32_t, std::int64_t>;

bool is_in_one(const IntervalSet& set, std::int64_t time) {
  const auto behind =
      std::upper_bound(set.begin(), set.end(), time,
                       [](std::int64_t at, const Interval& one) { return at < one.begin; });
  return behind != set.begin() && std::prev(behind)->contains(time);
}

// Counts the work without what runs while something compiles: autotuning comes once.
Counts counts_of(std::span<const WorkItem> work, const IntervalSet& compiles) {
  Counts out;
  for (const WorkItem& item : work)
    if (!is_in_one(compiles, item.time)) ++out[item.token];
  return out;
}

// What each step holds beyond the usual one.
class Extras {
 public:
  Extras(const Activity& activity, const Loop& loop)
      : activity_(activity),
        loop_(loop),
        compiles_(compilation_times(*activity.trace, activity.process)) {
    std::vector<std::int64_t> sizes;
    for (std::size_t step = 0; step < loop.steps.size(); ++step)
      sizes.push_back(static_cast<std::int64_t>(work_of(step).size()));
    usual_ = median(sizes);
    const auto at = std::find(sizes.begin(), sizes.end(), usual_);
    if (at != sizes.end())
      counts_ = counts_of(work_of(static_cast<std::size_t>(at - sizes.begin())), compiles_);
  }

  Counts of(std::size_t step) const {
    Counts extra = counts_of(work_of(step), compiles_);
    for (const auto& [token, count] : counts_) extra[token] -= count;
    std::erase_if(extra, [](const auto& entry) { return entry.second <= 0; });
    return extra;
  }

  // Most of what is due, beyond the usual.
  bool holds(std::size_t step, const Counts& due) const {
    const Counts extra = of(step);
    std::uint64_t held = 0;
    for (const auto& [token, count] : due) {
      const auto at = extra.find(token);
      if (at != extra.end()) held += static_cast<std::uint64_t>(std::min(count, at->second));
    }
    return 2 * held >= size(due);
  }

  static std::uint64_t size(const Counts& counts) {
    std::uint64_t size = 0;
    for (const auto& [token, count] : counts) size += static_cast<std::uint64_t>(count);
    return size;
  }

  bool is_much(const Counts& extra) const {
    return size(extra) >= kLeastExtra &&
           static_cast<double>(size(extra)) >= kMuchOfStep * static_cast<double>(usual_);
  }

 private:
  // Returns a step's work, with what lies between the step before and this one.
  std::span<const WorkItem> work_of(std::size_t step) const {
    const Interval own = loop_.steps[step].time;
    return activity_.work_in({step == 0 ? own.begin : loop_.steps[step - 1].time.end, own.end});
  }

  const Activity& activity_;
  const Loop& loop_;
  IntervalSet compiles_;
  std::int64_t usual_ = 0;
  Counts counts_;
};

// Returns what came behind step n, 2n, ... where it comes behind the last one, too; empty: nothing
// does.
Counts due_behind_last(const Extras& extras, std::size_t steps) {
  for (std::size_t stride = 2; 2 * stride <= steps; ++stride) {
    if (steps % stride != 0) continue;
    Counts due = extras.of(steps - stride);
    if (Extras::size(due) < kLeastExtra) continue;
    bool each = true;
    std::size_t elsewhere = 0;
    for (std::size_t at = 1; at < steps && each; ++at) {
      const bool holds = extras.holds(at, due);
      if (at % stride == 0) each = holds;
      if (at % stride != 0 && holds) ++elsewhere;
    }
    const bool is_seldom = static_cast<double>(elsewhere) <= kSeldom * static_cast<double>(steps);
    if (each && (is_seldom || extras.is_much(due))) return due;
  }
  return {};
}

// Returns how many items of the work hold what is due; 0: they do not begin with it. Once nearly
// all of it is there, the first item that is not due ends it. A run that ends with a part of it
// (the next epoch's set-up comes no more) holds it, too.
std::size_t length_of(std::span<const WorkItem> work, Counts due) {
  const std::uint64_t wanted = Extras::size(due);
  const auto enough = static_cast<std::uint64_t>(kHeld * static_cast<double>(wanted));
  const auto most = static_cast<std::size_t>(kLittleElse * static_cast<double>(wanted)) + 1;
  std::uint64_t held = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < std::min(work.size(), most); ++i) {
    const auto at = due.find(work[i].token);
    const bool is_due = at != due.end() && at->second > 0;
    if (!is_due && held >= enough && held > 0) break;
    if (!is_due) continue;
    --at->second, ++held;
    last = i + 1;
  }
  const bool is_all_there_is =
      held >= kLeastExtra && static_cast<double>(held) >= kHeld * static_cast<double>(work.size());
  return (held >= enough && held > 0) || is_all_there_is ? last : 0;
}

// Returns the end of the last item: its own record's, and that of what the thread goes on with at
// once (a wait for the device behind a copy), but no later than the next work that is none of it.
std::int64_t end_of(const Activity& activity, ThreadId thread, std::span<const WorkItem> work,
                    std::size_t length) {
  const HostRanges& h = activity.trace->host_ranges();
  const Rows rows = activity.trace->ranges_of(thread);
  const auto first = h.begin.begin() + rows.begin, last = h.begin.begin() + rows.end;
  const std::int64_t next = length < work.size() ? work[length].time : activity.host.end;
  std::int64_t end = work[length - 1].time;
  for (auto at = std::lower_bound(first, last, end); at != last && *at < next; ++at) {
    if (*at > end + kAtOnce_ns) break;
    end = std::max(end, h.end[static_cast<std::size_t>(at - h.begin.begin())]);
  }
  return std::min(next, end);
}

}  // namespace

void add_tail(const Activity& activity, Loop& loop) {
  add_empty_fetch(activity, loop);
  if (loop.steps.size() < 4) return;
  const Extras extras(activity, loop);
  const Counts due = due_behind_last(extras, loop.steps.size());
  if (due.empty()) return;
  std::int64_t& end = loop.steps.back().time.end;
  const auto behind = activity.work_in({end, activity.host.end + 1});
  const std::size_t length = length_of(behind, due);
  if (length > 0) end = std::max(end, end_of(activity, loop.thread, behind, length));
}

}  // namespace stepscope
