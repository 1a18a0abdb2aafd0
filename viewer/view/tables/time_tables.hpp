// SPDX-License-Identifier: Apache-2.0
// The tables of where a run's time goes. Internal to viewer/view.
#pragma once

#include <vector>

#include "core/report/wording/step_scale.hpp"
#include "core/summary/rows/host_op_rows.hpp"
#include "viewer/view/desk.hpp"
#include "viewer/view/tables/table.hpp"

namespace stepscope::viewer {

Table owners_table(const StepScale& scale);
Table phases_table(const StepScale& scale);
Table kernels_table(const StepScale& scale, KernelGrouping by);
Table host_ops_table(const StepScale& scale, const std::vector<HostOpRow>& rows);
Table lines_table(const StepScale& scale);
Table transfers_table(const StepScale& scale);

}  // namespace stepscope::viewer
