// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/optimizer/skipped.hpp"

#include <algorithm>
#include <map>

namespace stepscope {
namespace {

// Returns where the scopes of `marker` begin inside a stretch.
std::vector<std::int64_t> begins_in(const Activity& activity, const std::vector<RangeId>& marker,
                                    Interval stretch) {
  std::vector<std::int64_t> out;
  const auto first = std::lower_bound(
      marker.begin(), marker.end(), stretch.begin,
      [&activity](RangeId range, std::int64_t t) { return activity.time(range).begin < t; });
  for (auto i = first; i != marker.end() && activity.time(*i).begin < stretch.end; ++i) {
    out.push_back(activity.time(*i).begin);
  }
  return out;
}

template <class T>
T most_frequent(const std::vector<T>& values) {
  std::map<T, std::size_t> times;
  for (const T& value : values) ++times[value];
  const auto most = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == times.end() ? T{} : most->first;
}

// Iterations without their optimizer, found by zero_grad.
class SkippedSteps {
 public:
  SkippedSteps(const Activity& activity, const std::vector<Interval>& steps,
               const std::vector<RangeId>& zero_grads, const std::vector<RangeId>& optimizer_steps)
      : activity_(activity), zero_grads_(zero_grads), optimizer_steps_(optimizer_steps) {
    std::vector<std::size_t> counts;
    std::vector<std::size_t> optimizers;
    std::vector<std::size_t> nodes;
    std::vector<std::size_t> work;
    std::vector<std::size_t> leads;
    for (std::size_t i = 1; i < steps.size(); ++i) {
      const std::vector<std::int64_t> marks = begins_in(activity, zero_grads, steps[i]);
      counts.push_back(marks.size());
      optimizers.push_back(begins_in(activity, optimizer_steps, steps[i]).size());
      nodes.push_back(activity.backward_in(steps[i]));
      work.push_back(activity.work_in(steps[i]).size());
      if (!marks.empty()) leads.push_back(activity.work_in({steps[i].begin, marks.front()}).size());
    }
    usual_ = most_frequent(counts);
    usual_optimizers_ = most_frequent(optimizers);
    usual_backward_ = most_frequent(nodes);
    usual_work_ = most_frequent(work);
    lead_ = most_frequent(leads);
  }

  std::vector<Interval> split(Interval step) const {
    const std::vector<std::int64_t> marks = begins_in(activity_, zero_grads_, step);
    if (usual_ == 0 || marks.size() <= usual_ || marks.size() % usual_ != 0) return {step};
    if (begins_in(activity_, optimizer_steps_, step).size() > usual_optimizers_) return {step};
    std::vector<Interval> pieces;
    std::int64_t begin = step.begin;
    for (std::size_t i = usual_; i < marks.size(); i += usual_) {
      const std::int64_t cut = std::max(begin, before(marks[i], begin));
      pieces.push_back({begin, cut});
      begin = cut;
    }
    pieces.push_back({begin, step.end});
    const bool all_train = std::all_of(pieces.begin(), pieces.end(), [this](Interval piece) {
      return 2 * activity_.backward_in(piece) >= usual_backward_ &&
             2 * activity_.work_in(piece).size() >= usual_work_ && !piece.empty();
    });
    return all_train ? pieces : std::vector<Interval>{step};
  }

 private:
  // Returns the begin of as many work items before the mark as stand before the first mark of an
  // ordinary step.
  std::int64_t before(std::int64_t mark, std::int64_t begin) const {
    const std::span<const WorkItem> work = activity_.work_in({begin, mark});
    if (lead_ == 0 || work.size() <= lead_) return mark;
    return work[work.size() - lead_].time;
  }

  const Activity& activity_;
  const std::vector<RangeId>& zero_grads_;
  const std::vector<RangeId>& optimizer_steps_;
  std::size_t usual_ = 0;
  std::size_t usual_optimizers_ = 0;
  std::size_t usual_backward_ = 0;
  std::size_t usual_work_ = 0;
  std::size_t lead_ = 0;
};

}  // namespace

std::vector<Interval> split_skipped(const Activity& activity, const std::vector<Interval>& steps,
                                    const std::vector<RangeId>& zero_grads,
                                    const std::vector<RangeId>& optimizer_steps) {
  if (steps.size() < 3 || zero_grads.empty()) return steps;
  const SkippedSteps skipped(activity, steps, zero_grads, optimizer_steps);
  std::vector<Interval> out{steps.front()};
  for (std::size_t i = 1; i < steps.size(); ++i) {
    for (Interval piece : skipped.split(steps[i])) out.push_back(piece);
  }
  return out;
}

}  // namespace stepscope
