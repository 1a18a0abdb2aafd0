// SPDX-License-Identifier: Apache-2.0
#include "core/steps/bags.hpp"

#include <algorithm>

namespace stepscope {

Bag bag_of(std::span<const WorkItem> work) {
  std::vector<std::uint32_t> tokens;
  tokens.reserve(work.size());
  for (const WorkItem& item : work) tokens.push_back(item.token);
  std::sort(tokens.begin(), tokens.end());
  Bag bag;
  for (std::uint32_t token : tokens) {
    if (bag.empty() || bag.back().first != token) bag.emplace_back(token, 0U);
    ++bag.back().second;
  }
  return bag;
}

std::uint64_t size_of(const Bag& bag) {
  std::uint64_t size = 0;
  for (const auto& [token, count] : bag) size += count;
  return size;
}

std::uint64_t common(const Bag& a, const Bag& b) {
  std::uint64_t shared = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (i->first == j->first) shared += std::min(i->second, j->second);
    const bool step_a = i->first <= j->first;
    const bool step_b = j->first <= i->first;
    if (step_a) ++i;
    if (step_b) ++j;
  }
  return shared;
}

double containment(const Bag& a, const Bag& b) {
  const std::uint64_t smaller = std::min(size_of(a), size_of(b));
  return smaller == 0 ? 1 : static_cast<double>(common(a, b)) / static_cast<double>(smaller);
}

}  // namespace stepscope
