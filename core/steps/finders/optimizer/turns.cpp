// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/optimizer/turns.hpp"

#include <algorithm>

#include "core/steps/bags.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kMostKinds = 16;
constexpr double kTurnsAlike = 0.8;
constexpr double kLittle = 0.1;
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

// An optimizer's first step does what the later ones do, and makes its state by other operations.
bool makes_state(const Bag& first, const Bag& later) {
  std::uint64_t same = 0, other = 0;
  for (const auto& held : first) {
    const auto at = std::find_if(later.begin(), later.end(),
                                 [&held](const auto& entry) { return entry.first == held.first; });
    if (at == later.end()) continue;
    const std::uint32_t count = held.second;
    same += std::min(count, at->second);
    other += std::max(count, at->second) - std::min(count, at->second);
  }
  const auto all = static_cast<double>(size_of(later));
  return static_cast<double>(same) >= (1 - kLittle) * all &&
         static_cast<double>(other) <= kLittle * all;
}

bool same_scope(const Bag& a, const Bag& b) {
  return overlap(a, b) >= kTurnsAlike ||
         (size_of(a) > size_of(b) ? makes_state(a, b) : makes_state(b, a));
}

bool same_kind(const Kind& a, const Kind& b) {
  const auto fewer = static_cast<double>(std::min(a.backward, b.backward));
  const auto more = static_cast<double>(std::max(a.backward, b.backward));
  return a.name == b.name && more - fewer <= kBackwardTolerance * more &&
         same_scope(a.scope, b.scope) && containment(a.stretch, b.stretch) >= kTurnsAlike;
}

bool repeats(const std::vector<std::size_t>& kinds, std::size_t cycle) {
  std::size_t same = 0;
  const std::size_t pairs = kinds.size() - cycle;
  for (std::size_t i = 0; i < pairs; ++i) same += kinds[i] == kinds[i + cycle] ? 1U : 0U;
  return static_cast<double>(same) >= kCycleHolds * static_cast<double>(pairs);
}

// Returns the place in a cycle of the one turn that is of another kind than all others; `cycle`
// where there is none. The last whole cycle is used: in the first, an optimizer makes its state.
std::size_t odd_one(const std::vector<std::size_t>& kinds, std::size_t cycle) {
  const std::size_t first = (kinds.size() / cycle - 1) * cycle;
  for (std::size_t at = 0; at < cycle; ++at) {
    const std::size_t other = kinds[first + (at + 1) % cycle];
    bool holds = kinds[first + at] != other;
    for (std::size_t i = 0; i < cycle; ++i) holds = holds && (i == at || kinds[first + i] == other);
    if (holds) return at;
  }
  return cycle;
}

// Returns what `whole` holds and `part` lacks.
Bag lacking(const Bag& whole, const Bag& part) {
  Bag out;
  for (const auto& [token, count] : whole) {
    const auto at = std::lower_bound(
        part.begin(), part.end(), token,
        [](const auto& entry, std::uint32_t wanted) { return entry.first < wanted; });
    const std::uint32_t held = at != part.end() && at->first == token ? at->second : 0;
    if (count > held) out.emplace_back(token, count - held);
  }
  return out;
}

bool has_done_for_both(const Bag& odd, const Bag& next, const Bag& usual) {
  const Bag lacks = lacking(usual, next);
  const auto little = static_cast<std::uint64_t>(kLittle * static_cast<double>(size_of(next)));
  return size_of(lacks) > size_of(lacking(next, usual)) + little / 2 &&
         size_of(lacking(next, usual)) <= little && containment(lacks, odd) >= kTurnsAlike;
}

}  // namespace

// Numbers of kinds, in order of appearance; more than kMostKinds share the last number.
std::vector<std::size_t> kinds_of(const Activity& activity, const std::vector<Turn>& turns) {
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

std::vector<bool> shared_with_next(const Activity& activity, const std::vector<Turn>& turns,
                                   std::size_t cycle) {
  if (cycle < 3 || turns.size() <= cycle) return {};
  const std::vector<std::size_t> kinds = kinds_of(activity, {turns.begin() + 1, turns.end()});
  const std::size_t odd = odd_one(kinds, cycle);
  const auto is_odd = [&](std::size_t turn) { return (turn + cycle - 1) % cycle == odd; };
  if (odd == cycle || is_odd(turns.size() - 1)) return {};
  std::vector<bool> shared(turns.size(), false);
  std::size_t seen = 0, does = 0;
  const auto bag = [&](std::size_t turn) { return bag_of(activity.work_in(turns[turn].stretch)); };
  for (std::size_t i = 0; i + 1 < turns.size(); ++i) {
    if (!is_odd(i)) continue;
    shared[i] = true;
    if (i == 0 || i + 2 >= turns.size()) continue;
    ++seen;
    does += has_done_for_both(bag(i), bag(i + 1), bag(i + 2)) ? 1U : 0U;
  }
  const bool holds =
      seen > 0 && static_cast<double>(does) >= kTurnsAlike * static_cast<double>(seen);
  return holds ? shared : std::vector<bool>{};
}

// The first turn is left aside: it may hold the program's start and the making of optimizer state.
std::size_t turns_per_iteration(const Activity& activity, const std::vector<Turn>& turns) {
  if (turns.size() < 4) return 1;
  const std::vector<std::size_t> kinds = kinds_of(activity, {turns.begin() + 1, turns.end()});
  for (std::size_t cycle = 1; cycle <= kLongestCycle && 2 * cycle <= turns.size(); ++cycle) {
    if (kinds.size() > cycle && repeats(kinds, cycle)) return cycle;
  }
  return 1;
}

}  // namespace stepscope
