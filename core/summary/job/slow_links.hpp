// SPDX-License-Identifier: Apache-2.0
// Which links of a job carry data more slowly than others that do the same.
//
// What a collective takes after its last rank has entered is the transfer's own time, whatever the
// hosts and devices did before. Collectives are alike if they have one name, one message size, one
// number of ranks, and span one number of hosts. A group of ranks is slow if the median of its
// transfers is half as long again as that of the faster half of the groups that do alike, beyond
// what their scatter explains. All groups of a rank whose link is slow are: the ranks that all slow
// groups share and no other group that was compared has are named; one rank, or a link between those.
//
// A job in which all ranks form one group has nothing to compare: its transfers stay exposed_comm.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/summary/job/ledger.hpp"

namespace stepscope::job {

struct SlowLink {
  std::vector<std::uint32_t> ranks;  // rows of the records, in order
  std::string operation;             // in the group that lost most
  double times_as_long = 0;          // a transfer of that group against like ones
  std::int64_t cost_ns_total = 0;    // lost by the rank that lost most, in its steps
  std::uint64_t collectives = 0;
};

std::vector<SlowLink> find_slow_links(const std::vector<RankRecord>& ranks, const Ledger& ledger);

}  // namespace stepscope::job
