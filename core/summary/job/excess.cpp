// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/excess.hpp"

#include <algorithm>
#include <tuple>

namespace stepscope::job {
namespace {

using ByOwner = std::map<std::uint32_t, double>;

ByOwner differences(const Spent& late, const Spent& other) {
  ByOwner out;
  for (const auto& [key, ns] : late) out[key.first] += ns;
  for (const auto& [key, ns] : other) out[key.first] -= ns;
  return out;
}

// Takes, in each group, the amounts below 0 from those above, in proportion.
template <class KeyOf>
void cancel_within(ByOwner& amounts, KeyOf key_of) {
  struct Sums {
    double above = 0, below = 0;
  };
  std::map<decltype(key_of(std::uint32_t{})), Sums> groups;
  for (const auto& [owner, ns] : amounts) {
    Sums& sums = groups[key_of(owner)];
    (ns > 0 ? sums.above : sums.below) += ns;
  }
  for (auto& [owner, ns] : amounts) {
    const Sums& sums = groups[key_of(owner)];
    const double side = ns > 0 ? sums.above : sums.below;
    const double left = sums.above + sums.below;
    const bool stays = (ns > 0) == (left > 0);
    ns = stays && side != 0 ? ns * left / side : 0;
  }
}

}  // namespace

std::vector<Reason> excess_of(const Spent& late, const Spent& other, const Owners& owners) {
  ByOwner amounts = differences(late, other);
  cancel_within(amounts, [&](std::uint32_t id) {
    return std::tie(owners[id].phase_path, owners[id].file, owners[id].line);
  });
  cancel_within(amounts, [&](std::uint32_t id) { return std::tie(owners[id].phase_path); });
  std::map<std::uint32_t, double> spent;
  for (const auto& [key, ns] : late) spent[key.first] += ns;
  std::vector<Reason> out;
  for (const auto& [key, ns] : late) {
    const auto amount = amounts.find(key.first);
    if (amount->second <= 0 || ns <= 0) continue;
    out.push_back({key.first, key.second, amount->second * ns / spent[key.first]});
  }
  return out;
}

}  // namespace stepscope::job
