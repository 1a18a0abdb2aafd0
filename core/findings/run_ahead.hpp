// SPDX-License-Identifier: Apache-2.0
// What waiting costs: the device's idle time that the host would have hidden, had it not waited.
//
// A host that does not wait at a call comes to all that follows earlier by the call's length: its
// lead. While the lead lasts, work is issued that much earlier, so idle time behind the wait
// shrinks. So of each idle stretch that the host owns, the latest wait's lead hides what it can,
// then the one's before it: what is charged to a wait is idle time that the exact partition holds,
// and the charges of one run never exceed it. A wait behind which the device has work is charged
// nothing, however long its call took.
//
// What ends a lead: a wait that stays and in which the device worked (there the host waits longer
// by as much), and age: a host is never ahead by more than the launch queue holds, about a step.
#pragma once

#include <map>
#include <vector>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

struct RunAhead {
  std::vector<std::int64_t> caused;  // by wait, in counted steps; 0 for waits that stay
  std::vector<std::int64_t> hidden;  // by segment of the process's partition
  // (line of the wait, line at which the partition shows what it caused) -> ns
  std::map<std::pair<SiteId, SiteId>, std::int64_t> shown;
  std::int64_t total = 0;
};

// `removed` by wait: those at which the host would not wait any more.
RunAhead run_ahead(const JudgedRun& run, const std::vector<HostWait>& waits,
                   const std::vector<bool>& removed);

}  // namespace stepscope::rules
