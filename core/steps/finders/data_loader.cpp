// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/steps/finders/finders.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/shares.hpp"
#include "core/steps/tail.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

struct Batch {
  Interval time;           // from its fetch to the next
  std::int64_t loads = 0;  // the loader's own work: it says nothing of what is done with the batch
  std::int64_t work = 0;   // behind it
  bool trains = false;
};

std::vector<Batch> batches_of(const Activity& activity, const MarkedThread& marks) {
  std::vector<Batch> batches;
  std::int64_t end = std::min(extent_of(*activity.trace, marks.thread).end, activity.host.end);
  for (std::size_t i = marks.ranges.size(); i-- > 0;) {
    const Interval fetch = activity.time(marks.ranges[i]);
    batches.push_back({{fetch.begin, end},
                       std::ssize(activity.work_in(fetch)),
                       std::ssize(activity.work_in({fetch.end, end})),
                       activity.backward_in({fetch.begin, end}) > 0});
    end = fetch.begin;
  }
  std::reverse(batches.begin(), batches.end());
  if (std::count_if(batches.begin(), batches.end(), [](const Batch& b) { return b.trains; }) >= 2)
    std::erase_if(batches, [](const Batch& batch) { return !batch.trains; });
  return batches;
}

std::int64_t usual_work(const std::vector<Batch>& batches) {
  std::vector<std::int64_t> work;
  for (const Batch& batch : batches) work.push_back(batch.work);
  return median(std::move(work));
}

bool have_workers(const Activity& activity, const MarkedThread& marks) {
  return std::any_of(marks.ranges.begin(), marks.ranges.end(), [&](RangeId range) {
    return activity.name(range).find("MultiProcessing") != std::string_view::npos;
  });
}

// Where batches are only gathered, the loader's work is all that tells a batch from a request that
// finds no more. Workers do it elsewhere, so each of their requests counts, but for the last: behind
// it the loader finds no more.
void count_loads_where_nothing_follows(const Activity& activity, const MarkedThread& marks,
                                       std::vector<Batch>& batches) {
  if (usual_work(batches) > 0) return;
  const bool elsewhere = have_workers(activity, marks);
  for (Batch& batch : batches) batch.work = elsewhere ? 1 : batch.loads;
  if (elsewhere) batches.back().work = 0;
}

}  // namespace

Loop find_data_loader_steps(const Activity& activity) {
  const std::vector<RangeId> ranges = activity.annotations_that(is_loader_fetch);
  if (ranges.empty()) return {};
  const MarkedThread marks = choose_thread(activity, ranges);
  std::vector<Batch> batches = batches_of(activity, marks);
  count_loads_where_nothing_follows(activity, marks, batches);
  const std::int64_t usual = usual_work(batches);
  Loop loop{.found_by = FoundBy::data_loader, .thread = marks.thread};
  for (const Batch& batch : batches) {
    if (!is_at_least(kHardlyAny, batch.work, usual)) continue;  // it ended an epoch
    loop.steps.push_back({static_cast<std::int64_t>(loop.steps.size()), batch.time});
    loop.last_complete = is_at_least(kMost, batch.work, usual);
  }
  if (!loop.found()) return {};
  loop.how = fmt::format(
      "{} DataLoader __next__ scopes on {} with {} batches used, no optimizer step seen",
      marks.ranges.size(), thread_text(*activity.trace, marks.thread), loop.steps.size());
  loop.confidence = activity.share_in(loop.time()) * (loop.steps.size() >= 2 ? 0.75 : 0.2);
  add_tail(activity, loop);
  return loop;
}

}  // namespace stepscope
