// SPDX-License-Identifier: Apache-2.0
// From a trace, the steps and the attribution of one rank to what the job's ledger reads.
#pragma once

#include "core/attribution/attribution.hpp"
#include "core/summary/job/rank_record.hpp"

namespace stepscope::job {

RankRecord read_rank(const Trace& trace, const Steps& steps, const Attribution& attribution,
                     Owners& owners);

}  // namespace stepscope::job
