// SPDX-License-Identifier: Apache-2.0
#include "core/compare/step_shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace stepscope::compare_parts {
namespace {

// The part of a step's time from which what is shared otherwise matters.
constexpr double kMatters = 0.05;

struct PlacedLoop {
  const Division* loop = nullptr;
  SectionChoice choice;
};
using Chain = std::vector<PlacedLoop>;

// The steps' own loop and those around it, the innermost first.
Chain chain_of(const Steps& steps) {
  Chain out;
  if (steps.chosen.section >= steps.sections.size()) return out;
  const std::vector<Division>& all = steps.sections[steps.chosen.section].divisions;
  for (std::size_t division = 0; division < all.size(); ++division)
    if (!all[division].loop.empty() && (division == 0 || all[division].is_around))
      out.push_back({&all[division], {steps.chosen.section, division}});
  if (!out.empty()) std::reverse(out.begin() + 1, out.end());  // divisions have the outermost first
  return out;
}

struct Pair {
  PlacedLoop a, b;

  double ratio() const {
    return std::max(a.loop->steps_each, b.loop->steps_each) /
           std::min(a.loop->steps_each, b.loop->steps_each);
  }
  double besides() const { return std::max(a.loop->own_share, b.loop->own_share); }
  bool is_known() const { return a.loop->steps_each > 0 && b.loop->steps_each > 0; }
};

std::vector<Pair> pairs_by_place(const Chain& a, const Chain& b) {
  std::vector<Pair> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back({a[i], b[i]});
  return out;
}

// Each loop of the shorter one must be in the other: else lines have moved, and nothing is known.
std::vector<Pair> pairs_by_line(const Chain& a, const Chain& b) {
  std::vector<Pair> out;
  for (const PlacedLoop& one : a)
    for (const PlacedLoop& other : b)
      if (one.loop->loop == other.loop->loop) out.push_back({one, other});
  return out.size() == std::min(a.size(), b.size()) ? out : std::vector<Pair>{};
}

std::vector<Pair> pairs_of(const Chain& a, const Chain& b) {
  std::vector<Pair> out = a.size() == b.size() ? pairs_by_place(a, b) : pairs_by_line(a, b);
  std::erase_if(out, [](const Pair& pair) { return !pair.is_known(); });
  return out;
}

std::string how_to_compare(const Pair& loop) {
  if (name_of(loop.a.choice) == name_of(loop.b.choice))
    return fmt::format("--section {} compares its iterations", name_of(loop.a.choice));
  const bool is_of_b = loop.a.choice.division == 0;
  return fmt::format(
      "its iterations are section {0} of {1}: 'stepscope report {1} --section {0} -o {2}.json' "
      "makes what to compare",
      name_of(is_of_b ? loop.b.choice : loop.a.choice), is_of_b ? "B" : "A", is_of_b ? "b" : "a");
}

// Several iterations of the loop are one step, for which an optimizer steps once.
std::string accumulation_text(const Division& a, const Division& b) {
  const auto text = [](const Division& loop) {
    return loop.steps_each < 1 ? fmt::format("{:.0f} iterations are one step", 1 / loop.steps_each)
                               : std::string("each iteration is one");
  };
  return fmt::format(
      "of the loop at {}, {} in A, {} in B: not the same work in a step (--samples A,B compares "
      "per sample)",
      a.loop, text(a), text(b));
}

std::string sharing_text(const Pair& pair) {
  return fmt::format(
      "an iteration of the loop at {} is {:g} step{} in A, {:g} in B, and does other things "
      "besides: not the same work in a step; {}",
      pair.a.loop->loop, pair.a.loop->steps_each, pair.a.loop->steps_each == 1 ? "" : "s",
      pair.b.loop->steps_each, how_to_compare(pair));
}

// The user chose other divisions. Where both sides have as many loops, their places show whether it is
// the same one.
std::string why_choices_differ(const Steps& a, const Steps& b) {
  const Chain of_a = chain_of(a), of_b = chain_of(b);
  const auto place = [](const Chain& chain, const Steps& steps) {
    return std::ranges::find(chain, steps.chosen.division,
                             [](const PlacedLoop& loop) { return loop.choice.division; }) -
           chain.begin();
  };
  const auto at_a = place(of_a, a), at_b = place(of_b, b);
  const auto size = static_cast<std::ptrdiff_t>(of_a.size());
  if (of_a.size() != of_b.size() || at_a == at_b || at_a == size || at_b == size) return "";
  return fmt::format(
      "a step of A is an iteration of the loop at {}, one of B of that at {}: --section chooses "
      "the loop",
      of_a[static_cast<std::size_t>(at_a)].loop->loop,
      of_b[static_cast<std::size_t>(at_b)].loop->loop);
}

}  // namespace

std::string why_steps_share_otherwise(const Steps& a, const Steps& b) {
  if (a.chosen.division != b.chosen.division) return why_choices_differ(a, b);
  if (a.chosen.division != 0) return "";
  for (const Pair& pair : pairs_of(chain_of(a), chain_of(b))) {
    if (pair.a.loop->steps_each == pair.b.loop->steps_each) continue;
    const bool accumulates = std::min(pair.a.loop->steps_each, pair.b.loop->steps_each) < 1;
    if (accumulates && pair.a.choice.division == 0 && pair.b.choice.division == 0)
      return accumulation_text(*pair.a.loop, *pair.b.loop);
    if (!accumulates && pair.besides() * (pair.ratio() - 1) >= kMatters) return sharing_text(pair);
  }
  return "";
}

}  // namespace stepscope::compare_parts
