// SPDX-License-Identifier: Apache-2.0
#include "core/compare/step_shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace stepscope::compare_parts {
namespace {

// The part of a step's time from which what is shared otherwise matters.
constexpr double kMatters = 0.05;

std::string without_line(std::string_view loop) {
  const std::size_t colon = loop.rfind(':'), function = loop.rfind(" (");
  if (colon == std::string_view::npos || function == std::string_view::npos)
    return std::string(loop);
  return std::string(loop.substr(0, colon)) + std::string(loop.substr(function));
}

bool is_same_loop(const Division& a, const Division& b) {
  if (a.steps_each == 0 || b.steps_each == 0) return false;
  if (a.loop == b.loop) return true;
  const auto iterations = [](const Division& loop) {
    return loop.steps_each < 1 ? static_cast<double>(loop.steps) / loop.steps_each
                               : static_cast<double>(loop.steps);
  };
  return without_line(a.loop) == without_line(b.loop) && iterations(a) == iterations(b);
}

struct CommonLoop {
  const Division* a = nullptr;
  const Division* b = nullptr;
  SectionChoice of_a, of_b;
};

// The innermost loop around that both have, where it holds another number of steps on either side.
CommonLoop common_loop(const Steps& a, const Steps& b) {
  CommonLoop out;
  const Section& of_a = a.sections[a.chosen.section];
  const Section& of_b = b.sections[b.chosen.section];
  for (std::size_t i = 0; i < of_a.divisions.size(); ++i) {
    for (std::size_t j = 0; j < of_b.divisions.size(); ++j) {
      const Division& one = of_a.divisions[i];
      const Division& other = of_b.divisions[j];
      if (!is_same_loop(one, other) || one.steps_each == other.steps_each) continue;
      if (out.a == nullptr || out.a->steps < one.steps)
        out = {&one, &other, {a.chosen.section, i}, {b.chosen.section, j}};
    }
  }
  return out;
}

bool has_own_choice(const Steps& steps) {
  return steps.chosen.section >= steps.sections.size() || steps.chosen.division != 0;
}

std::string how_to_compare(const CommonLoop& loop) {
  if (name_of(loop.of_a) == name_of(loop.of_b))
    return fmt::format("--section {} compares its iterations", name_of(loop.of_a));
  const bool is_of_b = loop.of_a.division == 0;
  return fmt::format(
      "its iterations are section {} of {}: 'stepscope report {} --section {} -o {}.json' makes "
      "what "
      "to compare",
      name_of(is_of_b ? loop.of_b : loop.of_a), is_of_b ? "B" : "A", is_of_b ? "B" : "A",
      name_of(is_of_b ? loop.of_b : loop.of_a), is_of_b ? "b" : "a");
}

// Several iterations of the loop are one step, for which an optimizer steps once.
std::string accumulation_text(const Division& a, const Division& b) {
  const auto text = [](const Division& loop) {
    return loop.steps_each < 1 ? fmt::format("{:.3g} iterations are one step", 1 / loop.steps_each)
                               : std::string("each iteration is one");
  };
  return fmt::format(
      "of the loop at {}, {} in A, {} in B: not the same work in a step (--samples A,B compares "
      "per "
      "sample)",
      a.loop, text(a), text(b));
}

}  // namespace

std::string why_steps_share_otherwise(const Steps& a, const Steps& b) {
  if (has_own_choice(a) || has_own_choice(b)) return "";
  const CommonLoop loop = common_loop(a, b);
  if (loop.a == nullptr) return "";
  const auto [fewer, more] = std::minmax(loop.a->steps_each, loop.b->steps_each);
  if (fewer < 1) return accumulation_text(*loop.a, *loop.b);
  const double besides = std::max(loop.a->own_share, loop.b->own_share);
  if (besides * (more / fewer - 1) < kMatters) return "";
  return fmt::format(
      "an iteration of the loop at {} is {:g} step{} in A, {:g} in B, and {:.0f} % of its time is "
      "in "
      "none of them: not the same work in a step; {}",
      loop.a->loop, loop.a->steps_each, loop.a->steps_each == 1 ? "" : "s", loop.b->steps_each,
      100 * besides, how_to_compare(loop));
}

}  // namespace stepscope::compare_parts
