// SPDX-License-Identifier: Apache-2.0
#include "core/steps/empty_fetch.hpp"

#include <algorithm>

#include "core/steps/finders/marks.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

// The fetches of the loop's thread, and the work around them.
class Fetches {
 public:
  Fetches(const Activity& activity, const Loop& loop) : activity_(activity), loop_(loop) {
    std::vector<RangeId> ranges;
    for (RangeId range : activity.annotations) {
      const bool counts = activity.thread(range) == loop.thread;
      if (counts && is_loader_fetch(activity.name(range))) ranges.push_back(range);
    }
    times_ = times_of(activity, outermost(activity, std::move(ranges)));
  }

  std::size_t first_from(std::int64_t time) const {
    const auto at =
        std::lower_bound(times_.begin(), times_.end(), time,
                         [](const Interval& fetch, std::int64_t t) { return fetch.begin < t; });
    return static_cast<std::size_t>(at - times_.begin());
  }
  bool has(std::size_t fetch) const { return fetch < times_.size(); }
  Interval time(std::size_t fetch) const { return times_[fetch]; }

  // No work from its begin to the next fetch, or to the end of all.
  bool is_unused(std::size_t fetch) const {
    const std::int64_t next = has(fetch + 1) ? time(fetch + 1).begin : activity_.host.end + 1;
    return activity_.work_in({time(fetch).begin, next}).empty();
  }

  Interval stretch(std::size_t step) const {
    const Interval own = loop_.steps[step].time;
    return {step == 0 ? own.begin : loop_.steps[step - 1].time.end, own.end};
  }

  // Work of a step in front of its fetch, as a rule; negative: steps fetch nothing.
  std::int64_t usual_head() const {
    std::vector<std::int64_t> heads;
    for (std::size_t step = 1; step < loop_.steps.size(); ++step) {
      const std::size_t fetch = first_from(stretch(step).begin);
      if (!has(fetch) || !stretch(step).contains(time(fetch).begin)) continue;
      const auto head = activity_.work_in({stretch(step).begin, time(fetch).begin});
      heads.push_back(static_cast<std::int64_t>(head.size()));
    }
    return 2 * heads.size() < loop_.steps.size() ? -1 : median(std::move(heads));
  }

  // An unused one in front of that step, of an earlier epoch; the last step of all is as far from
  // its own.
  bool ended_an_epoch(std::size_t step) const {
    const std::size_t fetch = first_from(stretch(step).begin);
    return has(fetch) && stretch(step).contains(time(fetch).begin) && is_unused(fetch);
  }

 private:
  const Activity& activity_;
  const Loop& loop_;
  std::vector<Interval> times_;
};

bool comes_again(const Fetches& fetches, std::size_t steps) {
  for (std::size_t step = steps - 1; step > 0 && 2 * step >= steps; --step) {
    if (fetches.ended_an_epoch(step)) return steps % (steps - step) == 0;
  }
  return false;
}

}  // namespace

bool is_loader_fetch(std::string_view name) {
  return name.find("__next__") != std::string_view::npos &&
         name.find("DataLoader") != std::string_view::npos;
}

void add_empty_fetch(const Activity& activity, Loop& loop) {
  if (loop.steps.empty()) return;
  const Fetches fetches(activity, loop);
  std::int64_t& end = loop.steps.back().time.end;
  const std::size_t fetch = fetches.first_from(end);
  if (!fetches.has(fetch)) return;
  const auto before = activity.work_in({end, fetches.time(fetch).begin});
  if (static_cast<std::int64_t>(before.size()) > fetches.usual_head()) return;
  if (!fetches.is_unused(fetch) && !comes_again(fetches, loop.steps.size())) return;
  end = std::max(end, fetches.time(fetch).end);
}

}  // namespace stepscope
