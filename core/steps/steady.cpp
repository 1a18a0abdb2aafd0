// SPDX-License-Identifier: Apache-2.0
#include "core/steps/steady.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/steps/explain.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kFarAbove = 1.5;
constexpr double kSlowedBy = 1.2;
constexpr double kDeviations = 5;
constexpr double kLeastExcess = 0.3;
constexpr double kSigmaOfMad = 1.4826;  // of a normal distribution

// What walls are judged by: the middle and the wall above which one is long.
struct Level {
  std::int64_t middle = 0;
  std::int64_t limit = 0;
};

Level level_of(const std::vector<std::int64_t>& walls) {
  const std::int64_t middle = median(walls);
  const double spread =
      kDeviations * kSigmaOfMad * static_cast<double>(median_absolute_deviation(walls));
  const double least = kLeastExcess * static_cast<double>(middle);
  return {middle, middle + static_cast<std::int64_t>(std::max(spread, least))};
}

std::vector<std::int64_t> walls_from(const Steps& steps, std::size_t first) {
  std::vector<std::int64_t> walls;
  for (std::size_t k = first; k < steps.list.size(); ++k) {
    if (steps.list[k].wall_known) walls.push_back(steps.list[k].wall_ns());
  }
  return walls;
}

void set_aside(Step& step, std::string why) {
  step.steady = false;
  step.why_not_steady = std::move(why);
}

double times_of(const Step& step, const Level& level) {
  return static_cast<double>(step.wall_ns()) /
         static_cast<double>(std::max<std::int64_t>(1, level.middle));
}

std::string times_text(const Step& step, const Level& level) {
  return fmt::format("{:.1f}x the median", times_of(step, level));
}

// The first step after warm-up.
std::size_t set_warm_up_aside(Steps& steps, const Explanations& explanations) {
  if (walls_from(steps, std::max<std::size_t>(1, steps.list.size() / 2)).empty()) return 1;
  const Level later = level_of(walls_from(steps, std::max<std::size_t>(1, steps.list.size() / 2)));
  const auto above = [&later](const Step& step, double factor) {
    return static_cast<double>(step.wall_ns()) > factor * static_cast<double>(later.middle);
  };
  std::size_t k = 1;
  for (; 2 * k < steps.list.size(); ++k) {
    Step& step = steps.list[k];
    const bool compiles = explanations.compiles(k) && above(step, kSlowedBy);
    const bool slow = above(step, kFarAbove) && step.wall_ns() > later.limit;
    if (compiles) {
      set_aside(step, fmt::format("compilation or module loads: {} of the later steps",
                                  times_text(step, later)));
    } else if (slow && explanations.of(k, step.wall_ns() - later.middle).empty()) {
      set_aside(step, fmt::format("warm-up: {} of the later steps", times_text(step, later)));
    } else {
      break;
    }
  }
  return k;
}

// At least three, at distances that are multiples of one distance of two or more, and most of the
// places in between taken: periodic work that left no other trace.
bool return_evenly(const std::vector<std::size_t>& places) {
  if (places.size() < 3) return false;
  std::size_t step = 0;
  for (std::size_t i = 1; i < places.size(); ++i) step = std::gcd(step, places[i] - places[i - 1]);
  const std::size_t expected =
      (places.back() - places.front()) / std::max<std::size_t>(1, step) + 1;
  return step >= 2 && 4 * places.size() >= 3 * expected;
}

std::string kept_text(const Steps& steps, const std::vector<std::size_t>& places,
                      const std::string& why) {
  constexpr std::size_t kShown = 5;
  std::string ids;
  for (std::size_t i = 0; i < std::min(places.size(), kShown); ++i) {
    ids += fmt::format("{}{}", i == 0 ? "" : ", ", steps.list[places[i]].id);
  }
  if (places.size() > kShown) ids += ", ...";
  return fmt::format("{} long {} kept: {} (step {})", places.size(),
                     places.size() == 1 ? "step is" : "steps are", why, ids);
}

void set_outliers_aside(Steps& steps, std::size_t first, const Explanations& explanations) {
  const Level level = level_of(walls_from(steps, first));
  std::vector<std::size_t> unexplained;
  std::map<std::string, std::vector<std::size_t>> explained;
  for (std::size_t k = first; k < steps.list.size(); ++k) {
    const Step& step = steps.list[k];
    if (!step.wall_known || step.wall_ns() <= level.limit) continue;
    const std::string why = explanations.of(k, step.wall_ns() - level.middle);
    (why.empty() ? unexplained : explained[why]).push_back(k);
  }
  if (return_evenly(unexplained)) {
    explained["they return at even distances"] = std::exchange(unexplained, {});
  }
  for (const auto& [why, places] : explained) steps.notes.push_back(kept_text(steps, places, why));
  for (std::size_t k : unexplained) {
    set_aside(steps.list[k], fmt::format("outlier: {}, and nothing recorded explains it",
                                         times_text(steps.list[k], level)));
    steps.list[k].outlier_ratio = times_of(steps.list[k], level);
  }
}

void set_edges_aside(Steps& steps) {
  set_aside(steps.list.front(), "first step");
  if (!steps.list.back().wall_known)
    set_aside(steps.list.back(), "the trace ends before its work does");
}

void keep_all(Steps& steps) {
  for (std::size_t k = 1; k < steps.list.size(); ++k) {
    if (!steps.list[k].wall_known) continue;
    steps.list[k].steady = true;
    steps.list[k].why_not_steady.clear();
    steps.list[k].outlier_ratio = 0;
  }
}

// Something must stand for the run: the first step where no other can.
void keep_one(Steps& steps) {
  if (steps.steady_count() > 0 || !steps.list.front().wall_known) return;
  steps.list.front().steady = true;
  steps.list.front().why_not_steady.clear();
  if (steps.found_by == FoundBy::whole_trace) return;
  steps.notes.emplace_back(
      "only the first step has a known wall time: it is kept although its begin is a guess");
}

}  // namespace

void choose_steady(const Activity& activity, Steps& steps) {
  if (steps.list.empty()) return;
  set_edges_aside(steps);
  if (steps.list.size() >= 4) {
    const Explanations explanations(activity, steps);
    const std::size_t first = set_warm_up_aside(steps, explanations);
    set_outliers_aside(steps, first, explanations);
    const std::size_t known = walls_from(steps, 1).size();
    if (2 * steps.steady_count() < known) {
      steps.notes.push_back(
          fmt::format("only {} of {} steps are alike: all but the first are kept, and their spread "
                      "is part of the result",
                      steps.steady_count(), steps.list.size()));
      keep_all(steps);
    }
  }
  keep_one(steps);
}

}  // namespace stepscope
