// SPDX-License-Identifier: Apache-2.0
#include "core/summary/rows/operation_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/summary/parts.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {

LengthSpread spread_of(const std::vector<std::int64_t>& lengths) {
  LengthSpread out;
  out.count = lengths.size();
  if (lengths.empty()) return out;
  out.sum_ns = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
  out.min_ns = *least;
  out.max_ns = *most;
  out.p50_ns = percentile(lengths, 0.5);
  out.p99_ns = percentile(lengths, 0.99);
  return out;
}

std::vector<std::int64_t> op_lengths(const Trace& trace, const Summary& summary,
                                     std::string_view name) {
  const auto counting = summary_parts::counting_of(summary.steps, summary.counted);
  const DeviceOps& ops = trace.device_ops();
  std::vector<std::int64_t> out;
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    const bool own = trace.data().streams[ops.stream[op]].process == summary.steps.process;
    if (own && trace.text(ops.name[op]) == name && counting.covers(ops.begin[op]))
      out.push_back(ops.end[op] - ops.begin[op]);
  }
  return out;
}

LengthHistogram histogram_of(const std::vector<std::vector<std::int64_t>>& sets, std::size_t bins) {
  LengthHistogram out;
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;
  for (const auto& set : sets) {
    for (const std::int64_t length : set) {
      least = std::min(least, length);
      most = std::max(most, length);
    }
  }
  if (least > most || bins == 0) return out;
  const auto low = static_cast<double>(std::max<std::int64_t>(1, least));
  const double factor =
      std::pow((static_cast<double>(most) + 1) / low, 1 / static_cast<double>(bins));
  out.edges.push_back(least);
  for (std::size_t i = 1; i < bins; ++i)
    out.edges.push_back(
        static_cast<std::int64_t>(std::llround(low * std::pow(factor, static_cast<double>(i)))));
  out.edges.push_back(most + 1);
  for (const auto& set : sets) {
    std::vector<std::uint64_t>& counts = out.counts.emplace_back(bins, 0);
    for (const std::int64_t length : set) {
      const auto after = std::upper_bound(out.edges.begin() + 1, out.edges.end() - 1, length);
      ++counts[static_cast<std::size_t>(after - out.edges.begin()) - 1];
    }
  }
  return out;
}

}  // namespace stepscope
