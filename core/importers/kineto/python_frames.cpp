// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/range_repairs.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace stepscope::kineto {
namespace {

// Callers before what they call.
std::vector<std::uint32_t> frames_in_order(const HostRanges& h) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < h.size(); ++row)
    if (h.kind[row] == HostKind::python_function) rows.push_back(row);
  const auto before = [&h](std::uint32_t a, std::uint32_t b) {
    return std::tuple(h.thread[a], h.begin[a], h.end[b]) <
           std::tuple(h.thread[b], h.begin[b], h.end[a]);
  };
  if (!std::is_sorted(rows.begin(), rows.end(), before))
    std::stable_sort(rows.begin(), rows.end(), before);
  return rows;
}

}  // namespace

std::uint64_t end_with_callers(HostRanges& h) {
  std::uint64_t moved = 0;
  std::vector<std::uint32_t> open;
  for (const std::uint32_t row : frames_in_order(h)) {
    if (!open.empty() && h.thread[open.back()] != h.thread[row]) open.clear();
    while (!open.empty() && h.end[open.back()] <= h.begin[row]) open.pop_back();
    if (!open.empty() && h.end[row] > h.end[open.back()]) {
      h.end[row] = h.end[open.back()];
      ++moved;
    }
    open.push_back(row);
  }
  return moved;
}

}  // namespace stepscope::kineto
