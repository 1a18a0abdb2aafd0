// SPDX-License-Identifier: Apache-2.0
#include "core/summary/rows/operation_rows.hpp"

#include <algorithm>
#include <map>

namespace stepscope {
namespace {

bool computes_on_host(Cause cause) {
  return name_of(cause).starts_with("host.compute.");
}

}  // namespace

std::vector<HostOpRow> host_op_rows(std::span<const CellRow> cells) {
  std::map<std::pair<std::string_view, Cause>, HostOpRow> rows;
  for (const CellRow& cell : cells) {
    if (cell.device || !computes_on_host(cell.cause)) continue;
    HostOpRow& row = rows[{cell.operation, cell.cause}];
    row.ns_total += cell.ns_total;
    row.calls_total += cell.calls_total;
  }
  std::vector<HostOpRow> out;
  for (auto& [key, row] : rows) {
    row.name = key.first;
    row.cause = key.second;
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const HostOpRow& a, const HostOpRow& b) { return a.ns_total > b.ns_total; });
  return out;
}

}  // namespace stepscope
