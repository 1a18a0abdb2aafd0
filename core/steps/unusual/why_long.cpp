// SPDX-License-Identifier: Apache-2.0
#include "core/steps/unusual/why_long.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/steps/unusual/long_rule.hpp"

namespace stepscope {
namespace {

using Places = std::vector<std::size_t>;

// Returns the greatest common distance of at least three places, if it is two or more and three
// quarters of the places at it are taken; else 0.
std::size_t even_distance(const Places& places) {
  if (places.size() < 3) return 0;
  std::size_t step = 0;
  for (std::size_t i = 1; i < places.size(); ++i) step = std::gcd(step, places[i] - places[i - 1]);
  const std::size_t expected =
      (places.back() - places.front()) / std::max<std::size_t>(1, step) + 1;
  return step >= 2 && 4 * places.size() >= 3 * expected ? step : 0;
}

std::string note(const Steps& steps, const Places& places, const std::string& why) {
  constexpr std::size_t kShown = 5;
  std::string ids;
  for (std::size_t i = 0; i < std::min(places.size(), kShown); ++i) {
    ids += fmt::format("{}{}", i == 0 ? "" : ", ", steps.list[places[i]].id);
  }
  if (places.size() > kShown) ids += ", ...";
  return fmt::format("{} long {}: {} (step {})", places.size(),
                     places.size() == 1 ? "step" : "steps", why, ids);
}

}  // namespace

void note_long_steps(const Explanations& explanations, Steps& steps) {
  const LongRule rule = long_rule(walls_from(steps, steps.warm_up.steps));
  Places unexplained;
  std::map<std::string, Places> explained;
  for (std::size_t k = steps.warm_up.steps; k < steps.list.size(); ++k) {
    const Step& step = steps.list[k];
    if (!step.wall_known || !rule.is_long(step.wall_ns())) continue;
    const std::string why = explanations.of(k, step.wall_ns() - rule.median_ns);
    (why.empty() ? unexplained : explained[why]).push_back(k);
  }
  if (even_distance(unexplained) > 0)
    explained["they return at even distances"] = std::exchange(unexplained, {});
  for (const auto& [why, places] : explained) steps.notes.push_back(note(steps, places, why));
}

}  // namespace stepscope
