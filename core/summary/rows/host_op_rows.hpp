// SPDX-License-Identifier: Apache-2.0
// Operations that compute on the host: what a run without a device spends its time on, by name and
// class. Sums of the cells, so the rows' time is that of the causes host.compute.*.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope {

struct HostOpRow {
  std::string name;  // "aten::native_batch_norm"
  Cause cause = Cause::unknown;
  std::int64_t ns_total = 0;
  std::uint64_t calls_total = 0;
};

// Largest first.
std::vector<HostOpRow> host_op_rows(std::span<const CellRow> cells);

}  // namespace stepscope
