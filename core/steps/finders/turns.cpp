// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/turns.hpp"

#include <algorithm>
#include <set>

#include "core/steps/bags.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kMostKinds = 16;
constexpr double kAlike = 0.8;
constexpr double kLittle = 0.1;  // share of the work, or of the backward nodes
constexpr double kHolds = 0.9;   // share of the turns

struct Kind {
  std::string_view name;
  SiteId line = kNone;
  bool fetches = false;
  std::size_t backward = 0;
  Bag scope;
  Bag stretch;
};

Kind kind_of(const Activity& activity, const Turn& turn) {
  return {turn.name,
          turn.line,
          turn.fetches,
          activity.backward_in(turn.stretch),
          bag_of(activity.work_in(turn.scope)),
          bag_of(activity.work_in(turn.stretch))};
}

double overlap(const Bag& a, const Bag& b) {
  const std::uint64_t larger = std::max(size_of(a), size_of(b));
  return larger == 0 ? 1 : static_cast<double>(common(a, b)) / static_cast<double>(larger);
}

// An optimizer's first step does what the later ones do, and makes its state by other operations.
bool makes_state(const Bag& first, const Bag& later) {
  std::uint64_t other = 0;
  for (const auto& [token, count] : later) {
    const auto at = std::find_if(first.begin(), first.end(),
                                 [token = token](const auto& e) { return e.first == token; });
    const std::uint32_t held = at == first.end() ? 0 : at->second;
    other += std::max(count, held) - std::min(count, held);
  }
  return static_cast<double>(other) <= kLittle * static_cast<double>(size_of(later));
}

bool same_scope(const Bag& a, const Bag& b) {
  return overlap(a, b) >= kAlike ||
         (size_of(a) > size_of(b) ? makes_state(a, b) : makes_state(b, a));
}

bool same_work(const Kind& a, const Kind& b) {
  const auto fewer = static_cast<double>(std::min(a.backward, b.backward));
  const auto more = static_cast<double>(std::max(a.backward, b.backward));
  return more - fewer <= kLittle * more && same_scope(a.scope, b.scope) &&
         containment(a.stretch, b.stretch) >= kAlike;
}

bool same_kind(const Kind& a, const Kind& b) {
  return a.line == b.line && a.fetches == b.fetches &&
         (a.line != kNone || (a.name == b.name && same_work(a, b)));
}

// Returns numbers of kinds in order of appearance; more than kMostKinds share the last number.
std::vector<std::size_t> kinds_of(const Activity& activity, const std::vector<Turn>& turns) {
  std::vector<Kind> kinds;
  std::vector<std::size_t> out;
  for (std::size_t i = 1; i < turns.size(); ++i) {
    Kind kind = kind_of(activity, turns[i]);
    const auto at = std::find_if(kinds.begin(), kinds.end(),
                                 [&kind](const Kind& known) { return same_kind(known, kind); });
    out.push_back(std::min(static_cast<std::size_t>(at - kinds.begin()), kMostKinds));
    if (at == kinds.end() && kinds.size() < kMostKinds) kinds.push_back(std::move(kind));
  }
  return out;
}

bool repeats(const std::vector<std::size_t>& kinds, std::size_t cycle) {
  std::size_t same = 0;
  const std::size_t pairs = kinds.size() - cycle;
  for (std::size_t i = 0; i < pairs; ++i) same += kinds[i] == kinds[i + cycle] ? 1U : 0U;
  return static_cast<double>(same) >= kHolds * static_cast<double>(pairs);
}

}  // namespace

Cycle cycle_of(const Activity& activity, const std::vector<Turn>& turns) {
  if (turns.size() < 4) return {};
  const std::vector<std::size_t> kinds = kinds_of(activity, turns);
  for (std::size_t cycle = 1; cycle <= kLongestCycle && 2 * cycle <= turns.size(); ++cycle) {
    if (kinds.size() <= cycle || !repeats(kinds, cycle)) continue;
    const std::set<std::size_t> distinct(kinds.end() - static_cast<std::ptrdiff_t>(cycle),
                                         kinds.end());
    return {cycle, distinct.size() < cycle};
  }
  return {};
}

}  // namespace stepscope
