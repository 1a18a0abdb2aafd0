// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/optimizer/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/steps/finders/marks.hpp"
#include "core/steps/finders/optimizer/delayed_turns.hpp"
#include "core/steps/finders/optimizer/loop_lines.hpp"
#include "core/steps/finders/optimizer/skipped.hpp"
#include "core/steps/finders/optimizer/turns.hpp"
#include "core/steps/tail.hpp"

namespace stepscope {
namespace {

constexpr double kBackToBack = 0.05;  // share of the work usual between two scopes
constexpr std::size_t kMostPerBatch = 3;
constexpr double kHolds = 0.9;

std::vector<RangeId> scopes_on(const Activity& activity, ThreadId thread, std::string_view prefix,
                               std::string_view part = {}) {
  std::vector<RangeId> out;
  for (RangeId range : activity.annotations) {
    const std::string_view name = activity.name(range);
    const bool matches = name.starts_with(prefix) && name.find(part) != std::string_view::npos;
    if (matches && activity.thread(range) == thread) out.push_back(range);
  }
  return outermost(activity, std::move(out));
}

std::vector<Turn> turns_of(const Activity& activity, const MarkedThread& marks) {
  std::vector<Turn> turns;
  std::int64_t begin =
      std::max(extent_of(*activity.trace, marks.thread).begin, activity.host.begin);
  for (RangeId range : marks.ranges) {
    const Interval scope = activity.time(range);
    turns.push_back({activity.name(range), scope, {begin, scope.end}});
    begin = scope.end;
  }
  return turns;
}

double upper_quartile(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 3 / 4);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

std::vector<Turn> fold_back_to_back(const Activity& activity, const std::vector<Turn>& turns) {
  if (turns.size() < 2) return turns;
  std::vector<double> between;
  for (std::size_t i = 1; i < turns.size(); ++i) {
    between.push_back(activity.share_in(Interval{turns[i - 1].scope.end, turns[i].scope.begin}));
  }
  const double usual = upper_quartile(between);
  std::vector<Turn> out{turns.front()};
  for (std::size_t i = 1; i < turns.size(); ++i) {
    if (between[i - 1] < kBackToBack * usual) {
      out.back().scope.end = turns[i].scope.end;
      out.back().stretch.end = turns[i].stretch.end;
    } else {
      out.push_back(turns[i]);
    }
  }
  return out;
}

void fold(std::vector<Turn>& turns, std::size_t into, const Turn& turn) {
  turns[into].scope.end = turn.scope.end;
  turns[into].stretch.end = turn.stretch.end;
}

// A last iteration that is not complete is left out: its remaining optimizers lie behind the
// trace's end.
std::vector<Turn> fold_cycles(const std::vector<Turn>& turns, std::size_t cycle) {
  std::vector<Turn> out;
  for (std::size_t i = 0; i + cycle <= turns.size(); i += cycle) {
    out.push_back(turns[i]);
    for (std::size_t j = i + 1; j < i + cycle; ++j) fold(out, out.size() - 1, turns[j]);
  }
  return out;
}

std::vector<Turn> fold_shared(const std::vector<Turn>& turns, const std::vector<bool>& shared) {
  std::vector<Turn> out;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (i > 0 && shared[i - 1]) {
      fold(out, out.size() - 1, turns[i]);
    } else {
      out.push_back(turns[i]);
    }
  }
  return out;
}

// Folds the turns of one batch where (nearly) every batch has the same two or three.
std::vector<Turn> fold_batches(const Activity& activity, const std::vector<Turn>& turns,
                               const std::vector<RangeId>& batches) {
  std::vector<Turn> out;
  std::vector<std::size_t> sizes;
  std::size_t batch = 0;
  std::size_t last = 0;
  for (const Turn& turn : turns) {
    while (batch < batches.size() && activity.time(batches[batch]).end <= turn.scope.begin) ++batch;
    if (!out.empty() && batch == last && batch > 0) {
      fold(out, out.size() - 1, turn);
      ++sizes.back();
    } else {
      out.push_back(turn);
      sizes.push_back(1);
    }
    last = batch;
  }
  std::map<std::size_t, std::size_t> times;
  for (std::size_t size : sizes) ++times[size];
  for (const auto& [size, count] : times) {
    const bool holds = static_cast<double>(count) >= kHolds * static_cast<double>(sizes.size());
    if (holds && size >= 2 && size <= kMostPerBatch && sizes.size() >= 2) return out;
  }
  return turns;
}

Loop loop_of(const Activity& activity, const MarkedThread& marks,
             const std::vector<Interval>& steps, std::string how) {
  Loop loop{.found_by = FoundBy::optimizer, .how = std::move(how), .thread = marks.thread};
  for (const Interval& step : steps)
    loop.steps.push_back({static_cast<std::int64_t>(loop.steps.size()), step});
  if (marks.left_out_at_work > 0)
    loop.notes.push_back(fmt::format("optimizer steps of {} more thread{} are not among these",
                                     marks.left_out_at_work,
                                     marks.left_out_at_work == 1 ? "" : "s"));
  loop.confidence = activity.share_in(loop.time()) * (steps.size() >= 2 ? 0.9 : 0.3);
  add_tail(activity, loop);
  return loop;
}

std::vector<Interval> stretches_of(const std::vector<Turn>& turns) {
  std::vector<Interval> out;
  for (const Turn& turn : turns) out.push_back(turn.stretch);
  return out;
}

std::string how_text(const Activity& activity, const MarkedThread& marks, std::size_t turns,
                     std::size_t steps) {
  std::string text = fmt::format("{} Optimizer.step scopes on {}", marks.ranges.size(),
                                 thread_text(*activity.trace, marks.thread));
  if (turns < marks.ranges.size()) {
    text += fmt::format(", several an iteration: {} iterations", turns);
  }
  if (steps > turns) {
    text += fmt::format(", and {} iterations that called zero_grad but skipped the optimizer",
                        steps - turns);
  }
  return text;
}

}  // namespace

Loop find_optimizer_steps(const Activity& activity) {
  std::vector<RangeId> ranges;
  for (RangeId range : activity.annotations) {
    if (activity.name(range).starts_with("Optimizer.step#")) ranges.push_back(range);
  }
  if (ranges.empty()) return {};
  const MarkedThread marks = choose_thread(activity, ranges);
  const std::vector<Turn> single = fold_back_to_back(activity, turns_of(activity, marks));
  std::size_t cycle = turns_per_iteration(activity, single);
  if (cycle > 1 && run_the_same_lines(activity, marks.thread, single, cycle)) cycle = 1;
  const std::vector<RangeId> fetches =
      scopes_on(activity, marks.thread, "enumerate(DataLoader)", "__next__");
  std::vector<bool> shared = shared_with_next(activity, single, cycle);
  if (shared.empty() || next_has_own_batch(activity, single, shared, fetches))
    shared = delayed_turns(activity, single, cycle, fetches);
  std::vector<Turn> turns =
      shared.empty() ? fold_cycles(single, cycle) : fold_shared(single, shared);
  turns = fold_batches(activity, turns, fetches);
  std::vector<Interval> steps =
      split_skipped(activity, stretches_of(turns),
                    scopes_on(activity, marks.thread, "Optimizer.zero_grad#"), marks.ranges);
  add_later_lines(activity, marks.thread, marks.ranges, steps);

  Loop loop =
      loop_of(activity, marks, steps, how_text(activity, marks, turns.size(), steps.size()));
  if (turns.size() < single.size()) {
    loop.others.push_back(loop_of(activity, marks, stretches_of(single),
                                  fmt::format("each of {} optimizer steps by itself, of which an "
                                              "iteration seems to have several",
                                              single.size())));
  }
  if (!shared.empty()) {
    const std::vector<Turn> cycles = fold_cycles(single, cycle);
    loop.others.push_back(loop_of(activity, marks, stretches_of(cycles),
                                  fmt::format("{} optimizer steps, which come again in the same "
                                              "order, as one iteration",
                                              cycle)));
  }
  return loop;
}

}  // namespace stepscope
