// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/job_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

LateBy late_by_cause(Cause cause) {
  const CauseFamily family = family_of(cause);
  if (family == CauseFamily::device_compute) return LateBy::device;
  const bool moves = family == CauseFamily::communication || family == CauseFamily::copy;
  return moves ? LateBy::link : LateBy::host;
}

}  // namespace

LateBy late_by(const JobRank& rank) {
  std::array<std::int64_t, 3> sums{};
  for (const JobReason& reason : rank.reasons)
    sums[static_cast<std::size_t>(late_by_cause(reason.cause))] += reason.ns_total;
  return static_cast<LateBy>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

std::string_view name_of(LateBy part) {
  constexpr std::array<std::string_view, 3> kNames{"host", "device", "link"};
  return kNames[static_cast<std::size_t>(part)];
}

std::string name_of(const JobLink& link) {
  return fmt::format("{} {}", link.ranks.size() == 1 ? "the link of rank" : "a link between ranks",
                     fmt::join(link.ranks, ", "));
}

}  // namespace stepscope
