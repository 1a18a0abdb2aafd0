// SPDX-License-Identifier: Apache-2.0
#include "core/steps/tail.hpp"

#include <algorithm>

#include "core/steps/bags.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/shares.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

using Items = std::span<const WorkItem>;

// Returns the thread's work (all of the device's) with the loader's fetches, of which one more than
// usual ends an epoch.
std::vector<WorkItem> items_of(const Activity& activity, ThreadId thread) {
  std::vector<WorkItem> items = activity.work;
  if (activity.work_kind != WorkKind::device_ops)
    std::erase_if(items, [thread](const WorkItem& item) { return item.lane != thread; });
  for (const RangeId fetch : loader_fetches(activity, thread))
    items.push_back(
        {activity.time(fetch).begin, activity.trace->host_ranges().name[fetch], thread, kNone});
  std::stable_sort(items.begin(), items.end(),
                   [](const WorkItem& a, const WorkItem& b) { return a.time < b.time; });
  return items;
}

// Returns n; 0: there is none.
std::size_t steps_of_rhythm(const std::vector<std::int64_t>& sizes, std::int64_t usual) {
  for (std::size_t n = 2; 2 * n <= sizes.size(); ++n) {
    const std::int64_t extra = sizes[sizes.size() - n] - usual;
    if (sizes.size() % n != 0 || extra <= 0) continue;
    std::size_t due = 0, others = 0;
    for (std::size_t k = 1; k < sizes.size(); ++k)
      if (2 * (sizes[k] - usual) >= extra) ++(k % n == 0 ? due : others);
    if (due == sizes.size() / n - 1 && is_at_least(kNearlyAll, sizes.size() - others, sizes.size()))
      return n;
  }
  return 0;
}

std::size_t shortest_head_with(Bag due, Items items) {
  std::uint64_t left = size_of(due);
  std::size_t head = 0;
  for (; head < items.size() && left > 0; ++head)
    left -= take_from(due, items[head].token) ? 1U : 0U;
  return head;
}

}  // namespace

void add_tail(const Activity& activity, Loop& loop) {
  const std::vector<WorkItem> all = items_of(activity, loop.thread);
  const auto items_behind = [&](std::size_t k) { return items_in(all, loop.stretch(k)); };
  std::vector<std::int64_t> sizes;
  for (std::size_t k = 0; k < loop.steps.size(); ++k)
    sizes.push_back(static_cast<std::int64_t>(items_behind(k).size()));
  const std::int64_t usual = sizes.empty() ? 0 : median(sizes);
  const std::size_t n = steps_of_rhythm(sizes, usual);
  const auto usual_one = std::find(sizes.begin(), sizes.end(), usual);
  if (n == 0 || usual_one == sizes.end()) return;
  const Items latest = items_behind(sizes.size() - n);
  const Bag of_usual = bag_of(items_behind(static_cast<std::size_t>(usual_one - sizes.begin())));
  const std::size_t due = shortest_head_with(without(bag_of(latest), of_usual), latest);
  std::int64_t& end = loop.steps.back().time.end;
  Items behind = items_in(all, {end, activity.host.end + 1});
  behind = behind.first(std::min(due, behind.size()));
  if (behind.empty() || containment(bag_of(behind), bag_of(latest.first(due))) < kNearlyAll) return;
  const std::int64_t last = behind.back().time;
  end = std::max(end, last_end_of(*activity.trace, loop.thread, {last, last + 1}));
}

}  // namespace stepscope
