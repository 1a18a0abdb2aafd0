// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/desk.hpp"

#include <algorithm>
#include <numeric>

namespace stepscope::viewer {

std::vector<Cause> legend_of(const Desk& desk, const PerCause<bool>& on_screen) {
  std::vector<Cause> out;
  const auto add = [&](Cause cause) {
    const bool known = std::find(out.begin(), out.end(), cause) != out.end();
    if (on_screen[index_of(cause)] && !known) out.push_back(cause);
  };
  for (std::size_t side = 0; side < desk.sides(); ++side) {
    for (const PartSum& part : desk.run(side).summary.partition.parts) add(part.cause);
  }
  // Causes of other steps.
  for (std::size_t i = 0; i < kCauseCount; ++i) add(static_cast<Cause>(i));
  return out;
}

std::size_t items_that_fit(const std::vector<float>& widths, float room, float more) {
  if (std::accumulate(widths.begin(), widths.end(), 0.0F) <= room) return widths.size();
  std::size_t count = 0;
  for (float used = more; count < widths.size() && used + widths[count] <= room; ++count)
    used += widths[count];
  return count;
}

}  // namespace stepscope::viewer
