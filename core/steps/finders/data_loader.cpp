// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/data_loader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/steps/empty_fetch.hpp"
#include "core/steps/finders/marks.hpp"
#include "core/steps/tail.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kEmpty = 0.05;  // share of the usual work
constexpr double kComplete = 0.8;

struct Batch {
  Interval time;
  std::size_t work = 0;
  std::size_t backward = 0;
};

std::vector<Batch> batches_of(const Activity& activity, const MarkedThread& marks) {
  std::vector<Batch> batches;
  const std::int64_t end =
      std::min(extent_of(*activity.trace, marks.thread).end, activity.host.end);
  for (std::size_t i = 0; i < marks.ranges.size(); ++i) {
    const std::int64_t begin = activity.time(marks.ranges[i]).begin;
    const bool last = i + 1 == marks.ranges.size();
    const Interval time{begin, last ? end : activity.time(marks.ranges[i + 1]).begin};
    // The work of the loader itself says nothing about what is done with the batch.
    const Interval after{activity.time(marks.ranges[i]).end, time.end};
    batches.push_back({time, activity.work_in(after).size(), activity.backward_in(time)});
  }
  return batches;
}

double usual_work(const std::vector<Batch>& batches) {
  std::vector<std::int64_t> work;
  for (const Batch& batch : batches) work.push_back(static_cast<std::int64_t>(batch.work));
  return static_cast<double>(median(std::move(work)));
}

void keep_training(std::vector<Batch>& batches) {
  const auto trains = [](const Batch& batch) { return batch.backward > 0; };
  const auto training = std::count_if(batches.begin(), batches.end(), trains);
  if (training < 2) return;
  std::erase_if(batches, [&trains](const Batch& batch) { return !trains(batch); });
}

// Empty batches end an epoch: their time goes to the step before.
std::vector<Batch> without_empty(const std::vector<Batch>& batches, double usual) {
  std::vector<Batch> out;
  for (const Batch& batch : batches) {
    if (static_cast<double>(batch.work) >= kEmpty * usual) {
      out.push_back(batch);
    } else if (!out.empty() && &batch != &batches.back()) {
      out.back().time.end = batch.time.end;
    }
  }
  return out;
}

}  // namespace

Loop find_data_loader_steps(const Activity& activity) {
  std::vector<RangeId> ranges;
  for (RangeId range : activity.annotations) {
    if (is_loader_fetch(activity.name(range))) ranges.push_back(range);
  }
  if (ranges.empty()) return {};
  const MarkedThread marks = choose_thread(activity, ranges);
  std::vector<Batch> batches = batches_of(activity, marks);
  keep_training(batches);
  const double usual = usual_work(batches);
  batches = without_empty(batches, usual);
  if (batches.empty()) return {};

  Loop loop{.found_by = FoundBy::data_loader,
            .how = fmt::format(
                "{} DataLoader __next__ scopes on {} with {} batches used, no optimizer step seen",
                marks.ranges.size(), thread_text(*activity.trace, marks.thread), batches.size()),
            .thread = marks.thread};
  for (const Batch& batch : batches) {
    loop.steps.push_back({static_cast<std::int64_t>(loop.steps.size()), batch.time});
  }
  loop.last_complete = static_cast<double>(batches.back().work) >= kComplete * usual;
  loop.confidence = activity.share_in(loop.time()) * (batches.size() >= 2 ? 0.75 : 0.2);
  add_tail(activity, loop);
  return loop;
}

}  // namespace stepscope
