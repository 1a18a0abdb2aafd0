// SPDX-License-Identifier: Apache-2.0
#include "core/steps/turns.hpp"

#include <algorithm>

#include "core/steps/bags.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kMostKinds = 16;
constexpr double kAlike = 0.8;
constexpr double kBackwardTolerance = 0.1;
constexpr double kCycleHolds = 0.9;

struct Kind {
  std::string_view name;
  Bag scope;
  Bag stretch;
  std::size_t backward = 0;
};

Kind kind_of(const Activity& activity, const Turn& turn) {
  return {turn.name, bag_of(activity.work_in(turn.scope)), bag_of(activity.work_in(turn.stretch)),
          activity.backward_in(turn.stretch)};
}

double overlap(const Bag& a, const Bag& b) {
  const std::uint64_t larger = std::max(size_of(a), size_of(b));
  return larger == 0 ? 1 : static_cast<double>(common(a, b)) / static_cast<double>(larger);
}

bool same_kind(const Kind& a, const Kind& b) {
  const auto fewer = static_cast<double>(std::min(a.backward, b.backward));
  const auto more = static_cast<double>(std::max(a.backward, b.backward));
  return a.name == b.name && more - fewer <= kBackwardTolerance * more &&
         overlap(a.scope, b.scope) >= kAlike && containment(a.stretch, b.stretch) >= kAlike;
}

// Numbers of kinds, in order of appearance; more than kMostKinds share the last number.
std::vector<std::size_t> classify(const Activity& activity, const std::vector<Turn>& turns) {
  std::vector<Kind> kinds;
  std::vector<std::size_t> out;
  for (const Turn& turn : turns) {
    Kind kind = kind_of(activity, turn);
    const auto at = std::find_if(kinds.begin(), kinds.end(),
                                 [&kind](const Kind& known) { return same_kind(known, kind); });
    const auto number = static_cast<std::size_t>(at - kinds.begin());
    if (at == kinds.end() && kinds.size() < kMostKinds) kinds.push_back(std::move(kind));
    out.push_back(std::min(number, kMostKinds));
  }
  return out;
}

bool repeats(const std::vector<std::size_t>& kinds, std::size_t cycle) {
  std::size_t same = 0;
  const std::size_t pairs = kinds.size() - cycle;
  for (std::size_t i = 0; i < pairs; ++i) same += kinds[i] == kinds[i + cycle] ? 1U : 0U;
  return static_cast<double>(same) >= kCycleHolds * static_cast<double>(pairs);
}

}  // namespace

// The first turn is left aside: it may hold the program's start and the making of optimizer state.
std::size_t turns_per_iteration(const Activity& activity, const std::vector<Turn>& turns) {
  if (turns.size() < 4) return 1;
  const std::vector<std::size_t> kinds = classify(activity, {turns.begin() + 1, turns.end()});
  for (std::size_t cycle = 1; cycle <= kLongestCycle && 2 * cycle <= turns.size(); ++cycle) {
    if (kinds.size() > cycle && repeats(kinds, cycle)) return cycle;
  }
  return 1;
}

}  // namespace stepscope
