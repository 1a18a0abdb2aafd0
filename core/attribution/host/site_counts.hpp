// SPDX-License-Identifier: Apache-2.0
// Counts how often each line was seen, and finds the most common one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "core/model/ids.hpp"

namespace stepscope {

using SiteCounts = std::map<SiteId, std::uint32_t>;

// Returns the most common line, the one with the lowest id among equals; kNone if there is none.
inline SiteId most_common(const SiteCounts& counts) {
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? kNone : most->first;
}

}  // namespace stepscope
