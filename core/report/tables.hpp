// SPDX-License-Identifier: Apache-2.0
// The tables of a report, a builder each. A new one is a builder here and a line in report_tables():
// text, pages, Markdown, the viewer and the server for coding agents then show it.
//
// A table without rows has nothing to say and is passed over, unless a reader says why it is empty.
#pragma once

#include <string_view>
#include <vector>

#include "core/compare/comparison.hpp"
#include "core/report/table.hpp"
#include "core/report/wording/step_scale.hpp"
#include "core/summary/rows/operation_rows.hpp"

namespace stepscope::report {

// The owners of the step, by cause; and the same for a job's ranks and for the devices.
Table partition_table(const StepScale& scale);
Table ranks_table(const StepScale& scale);
Table devices_table(const StepScale& scale);

// The same time by other names: phases, source lines, operations.
Table phases_table(const StepScale& scale);
Table lines_table(const StepScale& scale);
Table kernels_table(const StepScale& scale, KernelGrouping by = KernelGrouping::none);
Table host_ops_table(const StepScale& scale);  // only for a run without a device
Table transfers_table(const StepScale& scale);

// The loops that a run has one after the other, and other ways to divide them into steps.
Table sections_table(const Summary& summary);

// The tables in the order in which every medium shows them; findings stand between the first and
// the second.
struct Tables {
  std::vector<Table> ledger;   // partition, ranks
  std::vector<Table> details;  // devices, phases, lines, kernels, host_ops, transfers
  std::vector<Table> loops;    // sections
};
Tables report_tables(const StepScale& scale, KernelGrouping by = KernelGrouping::none);
// Returns the table of that id, or one without rows where there is none.
Table table_named(std::string_view id, const StepScale& scale);

// The tables of a comparison behind that of its parts (documents.hpp): by cause, phase, line.
// Those that would say one row, the whole, are left out.

std::vector<Table> diff_tables(const Comparison& comparison);

}  // namespace stepscope::report
