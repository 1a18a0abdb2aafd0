// SPDX-License-Identifier: Apache-2.0
// The summary of a job: tables of times are read off its ledger, counts are summed over its ranks.
#pragma once

#include <vector>

#include "core/summary/job/ledger.hpp"
#include "core/summary/summary.hpp"

namespace stepscope::job {

// `summaries` and `ranks` are of the same ranks, by rank. The ledger has counted steps.
Summary summarize_job(const std::vector<RankRecord>& ranks, const std::vector<Summary>& summaries,
                      const Owners& owners, const Ledger& ledger);

}  // namespace stepscope::job
