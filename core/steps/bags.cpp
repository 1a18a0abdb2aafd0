// SPDX-License-Identifier: Apache-2.0
#include "core/steps/bags.hpp"

#include <algorithm>

namespace stepscope {

Bag bag_of(std::span<const WorkItem> work) {
  Bag bag;
  for (const WorkItem& item : work) ++bag[item.token];
  return bag;
}

std::uint64_t size_of(const Bag& bag) {
  std::uint64_t size = 0;
  for (const auto& [token, count] : bag) size += count;
  return size;
}

bool take_from(Bag& bag, std::uint32_t token) {
  const auto at = bag.find(token);
  if (at == bag.end() || at->second == 0) return false;
  --at->second;
  return true;
}

Bag without(Bag a, const Bag& b) {
  for (auto& [token, count] : a) {
    const auto at = b.find(token);
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
