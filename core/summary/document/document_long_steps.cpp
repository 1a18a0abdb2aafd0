// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document_long_steps.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "core/summary/document/document_values.hpp"

namespace stepscope {
namespace {

ExcessRow read_excess(const Field& row) {
  ExcessRow out;
  out.cause = read_cause(row.at("cause"));
  out.file = row.text_or("file");
  if (const auto line = row.find("line")) out.line = line->small_count();
  out.function = row.text_or("function");
  out.ns_total = read_difference(row.at("ns_total"));
  return out;
}

// Rows of Steps::list by the steps' ids; of several alike the first.
std::unordered_map<std::int64_t, std::uint32_t> rows_by_id(const Steps& steps) {
  std::unordered_map<std::int64_t, std::uint32_t> rows;
  for (std::uint32_t row = 0; row < steps.list.size(); ++row)
    rows.try_emplace(steps.list[row].id, row);
  return rows;
}

}  // namespace

LongSteps read_outliers(const Field& outliers, std::int64_t counted_ns) {
  LongSteps out;
  out.steps = outliers.at("steps").count();
  out.wall_ns_total = read_time(outliers.at("wall_ns_total"));
  out.loop_ns_total = counted_ns + out.wall_ns_total;
  out.left_out = out.steps > 0;
  return out;
}

LongSteps read_long_steps(const Field& field, const Steps& steps) {
  LongSteps out;
  out.steps = field.at("steps").count();
  const auto rows = rows_by_id(steps);
  field.at("ids").for_each([&](const Field& id) {
    const auto row = rows.find(id.integer());
    if (row == rows.end())
      id.fail(fmt::format("is {}, which is no step of steps.list", id.integer()));
    out.rows.push_back(row->second);
  });
  if (out.rows.size() != out.steps)
    field.at("ids").fail(
        fmt::format("names {} steps, but `steps` is {}", out.rows.size(), out.steps));
  out.median_ns = read_time(field.at("median_ns"));
  out.limit_ns = read_time(field.at("limit_ns"));
  out.longest_ns = read_time(field.at("longest_ns"));
  out.wall_ns_total = read_time(field.at("wall_ns_total"));
  out.loop_ns_total = read_time(field.at("loop_ns_total"));
  out.excess_ns_total = read_time(field.at("excess_ns_total"));
  out.left_out = field.at("left_out").flag();
  std::int64_t sum = 0;
  field.at("excess").for_each([&](const Field& row) {
    out.excess.push_back(read_excess(row));
    add_time(out.excess.back().ns_total, field.at("excess"), sum);
  });
  if (sum != out.excess_ns_total)
    field.at("excess").fail(
        fmt::format("sum to {} ns, but excess_ns_total is {} ns", sum, out.excess_ns_total));
  return out;
}

}  // namespace stepscope
