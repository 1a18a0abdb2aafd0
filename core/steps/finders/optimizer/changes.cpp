// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/optimizer/changes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/steps/bags.hpp"
#include "core/steps/finders/optimizer/turns.hpp"

namespace stepscope {
namespace {

constexpr double kTogether = 0.9;        // share of the steps from a kind's first to its last
constexpr double kOfAllSteps = 0.95;     // share of all steps
constexpr double kSameOperations = 0.9;  // share of either side's operations

struct KindStretch {  // from the first to the last step of one kind
  std::size_t first, last, count = 0;
};

std::vector<KindStretch> stretches_by_kind(const std::vector<std::size_t>& kinds) {
  std::vector<KindStretch> by_kind;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] >= by_kind.size()) by_kind.resize(kinds[i] + 1, {kinds.size(), 0});
    KindStretch& stretch = by_kind[kinds[i]];
    stretch.first = std::min(stretch.first, i);
    stretch.last = i;
    ++stretch.count;
  }
  std::erase_if(by_kind, [](const KindStretch& stretch) {
    const auto length = static_cast<double>(stretch.last + 1 - stretch.first);
    return stretch.count < kFewestOfKind || static_cast<double>(stretch.count) < kTogether * length;
  });
  std::sort(by_kind.begin(), by_kind.end(),
            [](const KindStretch& a, const KindStretch& b) { return a.first < b.first; });
  return by_kind;
}

bool tile_the_loop(const std::vector<KindStretch>& stretches, std::size_t steps) {
  std::size_t held = 0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (i > 0 && stretches[i].first <= stretches[i - 1].last) return false;
    held += stretches[i].count;
  }
  return stretches.size() >= 2 &&
         static_cast<double>(held) >= kOfAllSteps * static_cast<double>(steps);
}

// The stretch's last step: an optimizer's first one makes its state by other operations.
Bag usual_bag(const Activity& activity, const Loop& loop, const KindStretch& stretch) {
  return bag_of(activity.work_in(loop.steps[stretch.last].time));
}

bool has_same_operations(const Bag& a, const Bag& b) {
  std::size_t same = 0;
  for (const auto& [token, count] : a) {
    const auto at = std::lower_bound(
        b.begin(), b.end(), token,
        [](const auto& entry, std::uint32_t wanted) { return entry.first < wanted; });
    same += at != b.end() && at->first == token ? 1U : 0U;
  }
  const std::size_t all = a.size() + b.size() - same;
  return all > 0 && static_cast<double>(same) >= kSameOperations * static_cast<double>(all);
}

// The line that steps the optimizer there; kNone where none is known.
SiteId line_of(const Activity& activity, const HostStep& step) {
  const HostRanges& h = activity.trace->host_ranges();
  for (const RangeId range : activity.annotations)
    if (h.site[range] != kNone && h.end[range] == step.time.end) return h.site[range];
  return kNone;
}

bool are_one_loop(const Activity& activity, const Loop& loop, const KindStretch& a,
                  const KindStretch& b) {
  const SiteId line = line_of(activity, loop.steps[a.last]);
  return line != kNone && line == line_of(activity, loop.steps[b.last]) &&
         has_same_operations(usual_bag(activity, loop, a), usual_bag(activity, loop, b));
}

// Stretches that are one loop become one.
std::vector<KindStretch> joined(const Activity& activity, const Loop& loop,
                                const std::vector<KindStretch>& stretches) {
  std::vector<KindStretch> out;
  for (const KindStretch& stretch : stretches) {
    if (!out.empty() && are_one_loop(activity, loop, out.back(), stretch)) {
      out.back().last = stretch.last;
      out.back().count += stretch.count;
    } else {
      out.push_back(stretch);
    }
  }
  return out;
}

// Kinds of the steps. The first step of all may hold the program's start, so it is of the second's.
std::vector<std::size_t> kinds_of_steps(const Activity& activity, const Loop& loop) {
  std::vector<Turn> turns;
  for (const HostStep& step : loop.steps)
    turns.push_back({{}, {step.time.end, step.time.end}, step.time});
  std::vector<std::size_t> kinds = kinds_of(activity, turns);
  kinds[0] = kinds[1];
  return kinds;
}

}  // namespace

std::vector<Loop> split_at_changes(const Activity& activity, const Loop& loop) {
  if (loop.found_by != FoundBy::optimizer || loop.steps.size() < 2 * kFewestOfKind) return {loop};
  const std::vector<KindStretch> by_kind = stretches_by_kind(kinds_of_steps(activity, loop));
  if (!tile_the_loop(by_kind, loop.steps.size())) return {loop};
  const std::vector<KindStretch> stretches = joined(activity, loop, by_kind);
  if (stretches.size() < 2) return {loop};
  std::vector<Loop> out;
  std::size_t from = 0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const std::size_t to = i + 1 < stretches.size() ? stretches[i + 1].first : loop.steps.size();
    Loop part = loop;
    part.others.clear();
    part.steps.assign(loop.steps.begin() + static_cast<std::ptrdiff_t>(from),
                      loop.steps.begin() + static_cast<std::ptrdiff_t>(to));
    part.how = fmt::format("{} of the {}, which are of another kind than the others",
                           part.steps.size(), loop.how);
    part.last_complete = i + 1 < stretches.size() || loop.last_complete;
    out.push_back(std::move(part));
    from = to;
  }
  return out;
}

}  // namespace stepscope
