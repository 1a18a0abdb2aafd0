// SPDX-License-Identifier: Apache-2.0
#include "core/steps/bags.hpp"

#include <algorithm>

namespace stepscope {
namespace {

Bag::const_iterator find_in(const Bag& bag, std::uint32_t token) {
  const auto at =
      std::lower_bound(bag.begin(), bag.end(), token,
                       [](const auto& entry, std::uint32_t t) { return entry.first < t; });
  return at == bag.end() || at->first == token ? at : bag.end();
}

}  // namespace

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

bool take_from(Bag& bag, std::uint32_t token) {
  const auto at = find_in(bag, token);
  if (at == bag.end() || at->second == 0) return false;
  --bag[static_cast<std::size_t>(at - bag.begin())].second;
  return true;
}

Bag without(Bag a, const Bag& b) {
  for (auto& [token, count] : a) {
    const auto at = find_in(b, token);
    if (at != b.end()) count -= std::min(count, at->second);
  }
  return a;
}

std::uint64_t common(const Bag& a, const Bag& b) {
  return size_of(a) - size_of(without(a, b));
}

double containment(const Bag& a, const Bag& b) {
  const std::uint64_t smaller = std::min(size_of(a), size_of(b));
  return smaller == 0 ? 1 : static_cast<double>(common(a, b)) / static_cast<double>(smaller);
}

}  // namespace stepscope
