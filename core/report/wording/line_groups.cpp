// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/line_groups.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace stepscope {

std::vector<LineGroup> line_groups(const std::vector<LineRow>& rows) {
  std::map<std::tuple<std::string_view, std::uint32_t, SiteKind, Direction>, std::size_t> where;
  std::vector<LineGroup> groups;
  for (const LineRow& row : rows) {
    const auto [at, is_new] =
        where.try_emplace({row.file, row.line, row.kind, row.direction}, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].ns_total += row.ns_total;
    groups[at->second].rows.push_back(&row);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const LineGroup& a, const LineGroup& b) { return a.ns_total > b.ns_total; });
  return groups;
}

}  // namespace stepscope
