// SPDX-License-Identifier: Apache-2.0
#include "core/compare/delta_groups.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace stepscope {

std::vector<DeltaGroup> group_parts(const std::vector<DeltaPart>& parts) {
  std::vector<DeltaGroup> groups;
  std::map<std::uint32_t, std::size_t> places;
  for (const DeltaPart& part : parts) {  // largest first, so each group's are too
    const auto [at, is_new] = places.try_emplace(part.group, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].parts.push_back(&part);
    groups[at->second].delta_ns += part.delta_ns;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const DeltaGroup& a, const DeltaGroup& b) {
    return std::abs(a.delta_ns) > std::abs(b.delta_ns);
  });
  return groups;
}

}  // namespace stepscope
