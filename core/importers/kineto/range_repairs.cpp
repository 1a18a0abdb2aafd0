// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/range_repairs.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/importers/kineto/json/decimal.hpp"
#include "core/support/interval.hpp"

namespace stepscope::kineto {
namespace {

constexpr std::int64_t kShortestOverflow_ns = 4'290'000'000;  // just below 2^32
constexpr std::int64_t kTimesTheTrace = 10;

// From the first begin to the last, and to the last end of the device's work.
Interval extent_of_rest(const TraceData& data) {
  const std::vector<std::int64_t>& begins = data.host_ranges.begin;
  const auto [first, last] = std::minmax_element(begins.begin(), begins.end());
  Interval out{*first, *last};
  for (const std::int64_t end : data.device_ops.end) out.end = std::max(out.end, end);
  return out;
}

}  // namespace

std::uint64_t close_open_ranges(TraceData& data) {
  HostRanges& h = data.host_ranges;
  if (h.size() < 2) return 0;
  const Interval rest = extent_of_rest(data);
  const std::int64_t extent = std::min(rest.length(), kLatestTime / kTimesTheTrace);
  const std::int64_t longest = std::max(kShortestOverflow_ns, kTimesTheTrace * extent);
  std::uint64_t open = 0;
  for (std::size_t row = 0; row < h.size(); ++row) {
    if (h.end[row] - h.begin[row] < longest) continue;
    h.end[row] = h.begin[row];
    ++open;
  }
  return open;
}

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
