// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/silence_owners.hpp"

#include <algorithm>

namespace stepscope {

SilenceOwners::SilenceOwners(const std::vector<SeenLine>& seen, const LinePeriods& periods) {
  const auto is_record = [](const SeenLine& one) { return one.is_record; };
  auto record = std::ranges::find_if(seen, is_record);
  while (record != seen.end()) {
    const auto next = std::find_if(record + 1, seen.end(), is_record);
    const Period* period = periods.at(record->line);
    if (period != nullptr && next != seen.end() && next != record + 1) {
      const Period* sampled = periods.at((next - 1)->line);
      const bool goes_on = sampled != nullptr && *sampled == *period;
      more_[{record->line, next->line}] += goes_on ? 1 : -1;
    }
    record = next;
  }
}

bool SilenceOwners::go_on_with(const Line& first, const Line& next) const {
  const auto known = more_.find({first, next});
  return known != more_.end() && known->second > 0;
}

}  // namespace stepscope
