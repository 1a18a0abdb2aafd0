// SPDX-License-Identifier: Apache-2.0
// The tables of a job, each made of those of its ranks. Times are read off the ledger, in which a
// rank's wait may belong to the work of another; calls, bytes and counts are summed over the ranks,
// whose rows are over as many steps as the job's (scaled_rows.hpp).
// Rows that say the same of two ranks are one.
#pragma once

#include <vector>

#include "core/summary/job/ledger.hpp"
#include "core/summary/summary.hpp"

namespace stepscope::job {

std::vector<CellRow> cells_of(const Owners& owners, const Ledger& ledger,
                              const std::vector<Summary>& summaries);

// `cells` are those of the job. A phase's times include those of its inner phases. Its steps are
// counted once for each rank, as its time is: where one rank runs it, the others wait for that.
std::vector<LineRow> lines_of(const std::vector<CellRow>& cells,
                              const std::vector<Summary>& summaries);
std::vector<PhaseRow> phases_of(const Owners& owners, const Ledger& ledger,
                                const std::vector<CellRow>& cells,
                                const std::vector<Summary>& summaries);

// The device's own times stay those that each rank measured.
std::vector<KernelRow> kernels_of(const std::vector<Summary>& summaries);
std::vector<TransferRow> transfers_of(const std::vector<Summary>& summaries);

std::vector<WorkCount> counts_of(const std::vector<Summary>& summaries);

}  // namespace stepscope::job
