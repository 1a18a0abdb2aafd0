// SPDX-License-Identifier: Apache-2.0
#include "core/steps/nest/choice.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/steps/shares.hpp"

namespace stepscope {
namespace {

// A program writes down so many steps one after the other; more are a loop.
constexpr std::size_t kWrittenOut = 4;
constexpr std::uint32_t kFewestVisits = 3;

// What reads a tensor, or names it anew, but computes nothing.
constexpr std::string_view kReads[] = {"aten::item", "aten::_local_scalar_dense",
                                       "aten::is_nonzero", "aten::detach", "Memcpy DtoH"};

class Choice {
 public:
  Choice(const Activity& activity, const Cycle& cycle, const LoopNest& nest)
      : activity_(activity), cycle_(cycle), nest_(nest) {
    for (const NestLoop& loop : nest.loops) {
      std::vector<std::size_t> counts;
      for (const Kind& kind : cycle.kinds) counts.push_back(count_in(loop, kind));
      counts_.push_back(std::move(counts));
    }
    if (cycle.optimizers == 0) note_gradients();
  }

  // Whether each iteration steps each of its optimizers many times over, or makes many backward passes
  // without one, and in no loop inside: what runs the steps is a loop that was not noted, such as
  // map()'s.
  bool holds_unseen_loop(std::uint32_t loop) const {
    if (cycle_.steps_in_backward) return false;
    if (cycle_.optimizers == 0) return comes_many_times(loop, cycle_.passes);
    for (std::size_t kind = 0; kind < cycle_.optimizers; ++kind)
      if (counts_[loop][kind] > 0 && !comes_many_times(loop, cycle_.kinds[kind])) return false;
    return true;
  }

  // Loops whose iterations are steps of one kind: those with the most time.
  std::vector<std::uint32_t> best() const {
    std::vector<std::uint32_t> beside;
    for (std::uint32_t loop = 0; loop < nest_.loops.size(); ++loop)
      if (nest_.loops[loop].around == kNone && !kinds_of(loop, cycle_.marking).empty())
        add_stages(loop, beside);
    std::map<std::set<std::size_t>, std::vector<std::uint32_t>> by_kinds;
    for (const std::uint32_t loop : beside)
      for (const std::uint32_t chosen : descend(loop))
        by_kinds[kinds_of(loop, cycle_.marking)].push_back(chosen);
    std::vector<std::uint32_t> out;
    for (const auto& [kinds, loops] : by_kinds)
      if (time_of(out) < time_of(loops)) out = loops;
    return out;
  }

 private:
  bool comes_many_times(std::uint32_t loop, const Kind& times) const {
    std::size_t count = count_in(nest_.loops[loop], times);
    for (const NestLoop& inner : nest_.loops)
      if (inner.around == loop) count -= std::min(count, count_in(inner, times));
    return count > kWrittenOut * nest_.loops[loop].iterations.size();
  }
  // Returns which of the first so many kinds the loop holds.
  std::set<std::size_t> kinds_of(std::uint32_t loop, std::size_t first) const {
    std::set<std::size_t> out;
    for (std::size_t kind = 0; kind < first; ++kind)
      if (counts_[loop][kind] > 0) out.insert(kind);
    return out;
  }
  std::int64_t time_of(const std::vector<std::uint32_t>& loops) const {
    std::int64_t sum = 0;
    for (const std::uint32_t loop : loops)
      for (const NestIteration& one : nest_.loops[loop].iterations) sum += one.time.length();
    return sum;
  }

  // Returns the loops right inside that hold each kind, or a part of them; none where they do not hold
  // nearly all together.
  std::vector<std::uint32_t> inside_of(std::uint32_t loop, bool parts) const {
    const std::size_t all = cycle_.kinds.size();
    std::vector<std::uint32_t> inside;
    std::vector<std::size_t> held(all, 0);
    for (std::uint32_t inner = loop + 1; inner < nest_.loops.size(); ++inner) {
      if (nest_.loops[inner].around != loop || kinds_of(inner, cycle_.marking).empty()) continue;
      if (!parts && kinds_of(inner, all) != kinds_of(loop, all)) continue;
      inside.push_back(inner);
      for (std::size_t kind = 0; kind < all; ++kind) held[kind] += counts_[inner][kind];
    }
    for (std::size_t kind = 0; kind < all; ++kind)
      if (!is_at_least(kNearlyAll, held[kind], counts_[loop][kind])) return {};
    return inside;
  }

  // Whether most iterations train a part of what the loop trains: a critic in each even epoch, and a
  // generator in each odd one.
  bool alternates(std::uint32_t loop) const {
    std::map<std::uint32_t, std::size_t> held;  // by iteration, how many kinds
    for (std::size_t kind = 0; kind < cycle_.marking; ++kind) {
      std::set<std::uint32_t> iterations;
      for (const std::int64_t time : cycle_.kinds[kind])
        iterations.insert(nest_.loops[loop].iteration_at(time));
      for (const std::uint32_t one : iterations) ++held[one];
    }
    held.erase(kNone);
    const std::size_t all = kinds_of(loop, cycle_.marking).size();
    const auto whole = std::count_if(held.begin(), held.end(),
                                     [all](const auto& one) { return one.second == all; });
    return 2 * static_cast<std::size_t>(whole) <= held.size();
  }

  // Returns the loops right inside of which an iteration runs one or another.
  std::vector<std::uint32_t> parts_of(std::uint32_t loop) const {
    if (!inside_of(loop, false).empty() || !alternates(loop)) return {};
    return inside_of(loop, true);
  }

  // Adds the loop, or those of the stages that it runs one after the other, each of them once.
  void add_stages(std::uint32_t loop, std::vector<std::uint32_t>& out) const {
    const std::vector<std::uint32_t> parts = parts_of(loop);
    const auto is_entered_once = [this](std::uint32_t part) {
      return nest_.loops[part].visits == 1;
    };
    if (parts.empty() || !std::ranges::all_of(parts, is_entered_once)) return out.push_back(loop);
    for (const std::uint32_t part : parts) add_stages(part, out);
  }

  std::vector<std::uint32_t> descend(std::uint32_t loop) const {
    std::vector<std::uint32_t> inside = inside_of(loop, false);
    if (inside.empty()) inside = parts_of(loop);
    if (inside.empty() || fetches_for_all(loop) || uses_gradients_of(loop, inside)) return {loop};
    if (inside.size() == 1 && takes_turns(nest_.loops[inside.front()])) return {loop};
    std::vector<std::uint32_t> out;
    for (const std::uint32_t inner : inside) {
      const std::vector<std::uint32_t> chosen = descend(inner);
      out.insert(out.end(), chosen.begin(), chosen.end());
    }
    return out;
  }

  void note_gradients() {
    const HostRanges& h = activity_.trace->host_ranges();
    for (RangeId range = 0; range < h.size(); ++range)
      if (std::ranges::binary_search(activity_.backward, h.begin[range]) &&
          activity_.is_backward(range))
        gradients_.push_back({h.begin[range], h.end[range]});
    std::ranges::sort(gradients_, {}, &Interval::begin);
  }

  // Returns whether the iteration computes something behind the last gradient in it.
  bool computes_behind_gradients(Interval iteration) const {
    const auto behind = std::ranges::lower_bound(gradients_, iteration.end, {}, &Interval::begin);
    if (behind == gradients_.begin()) return false;
    const auto work = activity_.work_in({(behind - 1)->end, iteration.end});
    return std::ranges::any_of(work, [this](const WorkItem& item) {
      const std::string_view name = activity_.trace->text(item.token);
      return std::ranges::none_of(kReads, [name](auto read) { return name.starts_with(read); });
    });
  }
  std::size_t computing_behind_gradients(std::uint32_t loop) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        nest_.loops[loop].iterations,
        [this](const NestIteration& one) { return computes_behind_gradients(one.time); }));
  }

  // Without an optimizer: iterations of the loops inside end with their gradients, and this loop does
  // something behind them. Its update uses what they add up, or collect.
  bool uses_gradients_of(std::uint32_t loop, const std::vector<std::uint32_t>& inside) const {
    if (gradients_.empty()) return false;
    for (const std::uint32_t inner : inside)
      if (is_at_least(1 - kNearlyAll, computing_behind_gradients(inner),
                      nest_.loops[inner].iterations.size()))
        return false;
    return is_at_least(kNearlyAll, computing_behind_gradients(loop),
                       nest_.loops[loop].iterations.size());
  }

  // Most iterations of the loop fetch a batch that no loop inside asked for.
  bool fetches_for_all(std::uint32_t loop) const {
    std::set<std::uint32_t> fetching;
    for (const std::int64_t time : cycle_.fetches) {
      const bool is_inner = std::any_of(
          nest_.loops.begin(), nest_.loops.end(),
          [&](const NestLoop& inner) { return inner.around == loop && asks_at(inner, time); });
      const std::uint32_t iteration = nest_.loops[loop].iteration_at(time);
      if (!is_inner && iteration != kNone) fetching.insert(iteration);
    }
    return 2 * fetching.size() > nest_.loops[loop].iterations.size();
  }

  // Whether each entry into the loop has the same few iterations, all of which train and none of which
  // fetches, and each runs lines that no other of them runs: the parts of one step.
  bool takes_turns(const NestLoop& loop) const {
    const auto turns = static_cast<std::size_t>(
        std::ranges::count(loop.iterations, loop.iterations.front().visit, &NestIteration::visit));
    if (turns < 2 || turns > kWrittenOut || loop.visits < kFewestVisits ||
        turns * loop.visits != loop.iterations.size() || count_in(loop, cycle_.fetches) > 0)
      return false;
    std::vector<std::set<SiteId>> lines;
    std::map<SiteId, std::set<std::size_t>> turns_of;
    for (const NestIteration& one : loop.iterations) {
      if (!holds(one.time, cycle_, cycle_.marking)) return false;
      lines.push_back(lines_of(one));
      for (const SiteId line : lines.back()) turns_of[line].insert((lines.size() - 1) % turns);
    }
    return std::ranges::all_of(lines, [&](const std::set<SiteId>& ran) {
      return std::ranges::any_of(ran, [&](SiteId line) { return turns_of.at(line).size() == 1; });
    });
  }
  std::set<SiteId> lines_of(const NestIteration& one) const {
    std::set<SiteId> out;
    for (const WorkItem& item : activity_.work_in(one.time)) out.insert(item.site);
    out.erase(kNone);
    return out;
  }

  const Activity& activity_;
  const Cycle& cycle_;
  const LoopNest& nest_;
  std::vector<std::vector<std::size_t>> counts_;  // by loop, then by kind
  std::vector<Interval> gradients_;  // backward passes' nodes by begin, without an optimizer
};

}  // namespace

std::vector<std::uint32_t> choose_loops(const Activity& activity, const Cycle& cycle,
                                        const LoopNest& nest) {
  const Choice choice(activity, cycle, nest);
  std::vector<std::uint32_t> loops = choice.best();
  if (!loops.empty() && choice.holds_unseen_loop(loops.front())) return {};
  return loops;
}

}  // namespace stepscope
