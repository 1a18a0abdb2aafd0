// SPDX-License-Identifier: Apache-2.0
// Stretches in which a partition's device idles, each as one thing: from the end of device work to
// the next, with all who own a part of it.
#pragma once

#include <optional>
#include <vector>

#include "core/attribution/attribution.hpp"

namespace stepscope {

struct IdleGap {
  Interval time;
  std::uint32_t first = 0;  // segments [first, last) of the partition tile it
  std::uint32_t last = 0;
  DeviceOpId before = kNone;     // the work that ends at its begin; kNone: there is none
  DeviceOpId after = kNone;      // the work that begins at its end
  Cause cause = Cause::unknown;  // who owns most of it
  PhaseId phase = 0;             // phase of the longest segment with that cause; `site` is its line
  SiteId site = kNone;
};

// Returns the gaps in order of time. Empty for a partition without device work: then all of it is
// one gap.
std::vector<IdleGap> idle_gaps(const Partition& partition);

// The owners of a gap, largest first; they sum to its length.
struct GapOwner {
  Cause cause = Cause::unknown;
  std::int64_t ns = 0;
};
std::vector<GapOwner> owners_of(const Partition& partition, const IdleGap& gap);

}  // namespace stepscope
