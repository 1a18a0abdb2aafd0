// SPDX-License-Identifier: Apache-2.0
#include "core/steps/periodicity/lane.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 12> kOptimizerWords = {
    "adam",      "Adam",      "sgd",   "SGD",  "multi_tensor", "addcdiv",
    "Optimizer", "optimizer", "lamb_", "Lion", "rmsprop",      "adagrad"};
constexpr std::array<std::string_view, 3> kHostCopyWords = {"HtoD", "DtoH",
                                                            "aten::_local_scalar_dense"};
constexpr std::array<std::string_view, 5> kBackwardWords = {"backward", "Backward", "dgrad",
                                                            "wgrad", "autograd::engine"};

template <class Words>
bool holds_any(std::string_view name, const Words& words) {
  return std::any_of(words.begin(), words.end(), [name](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
}

std::uint8_t bits_of(std::string_view name) {
  unsigned bits = 0;
  if (holds_any(name, kOptimizerWords)) bits |= kOptimizer;
  if (holds_any(name, kBackwardWords)) bits |= kBackward;
  if (holds_any(name, kHostCopyWords)) bits |= kHostCopy;
  return static_cast<std::uint8_t>(bits);
}

}  // namespace

Lane busiest_lane(const Activity& activity) {
  std::map<std::uint32_t, std::size_t> size;
  for (const WorkItem& item : activity.work) {
    const std::string_view name = activity.trace->text(item.token);
    size[item.lane] += name.starts_with("autograd::engine") ? 0U : 1U;
  }
  const auto most = std::max_element(
      size.begin(), size.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  Lane lane;
  if (most == size.end()) return lane;
  std::vector<std::uint32_t> number(activity.trace->data().strings.size(), kNone);
  for (const WorkItem& item : activity.work) {
    if (item.lane != most->first) continue;
    if (number[item.token] == kNone) {
      number[item.token] = static_cast<std::uint32_t>(lane.names.size());
      lane.names.push_back(activity.trace->text(item.token));
    }
    lane.items.push_back(item);
    lane.tokens.push_back(number[item.token]);
  }
  return lane;
}

Evidence evidence_in(const Activity& activity, const Lane& lane) {
  std::vector<std::uint8_t> by_token;
  for (std::string_view name : lane.names) by_token.push_back(bits_of(name));
  Evidence evidence;
  unsigned seen = 0;
  auto node = activity.backward.begin();
  for (std::size_t i = 0; i < lane.items.size(); ++i) {
    unsigned bits = by_token[lane.tokens[i]];
    const auto first = node;
    while (node != activity.backward.end() && *node <= lane.items[i].time) ++node;
    if (node != first && i > 0) bits |= kBackward;
    evidence.at.push_back(static_cast<std::uint8_t>(bits));
    seen |= bits;
  }
  const unsigned training = seen & (kOptimizer | kBackward);
  evidence.required = static_cast<std::uint8_t>(training != 0 ? training : seen & kHostCopy);
  return evidence;
}

}  // namespace stepscope
