// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/step_fields.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "core/summary/document/field_reader.hpp"

namespace stepscope {
namespace {

using document::FieldReader;
using document::StepRow;

void keep_rows(std::vector<StepRow> rows, Summary& out) {
  for (StepRow& row : rows) {
    if (row.counted) out.counted.push_back(static_cast<std::uint32_t>(out.steps.list.size()));
    out.steps.list.push_back(std::move(row.step));
    out.step_parts.push_back(row.parts);
  }
}

// Returns the rows of Steps::list by the ids of the steps; the first where several have one id.
std::unordered_map<std::int64_t, std::uint32_t> rows_by_id(const Steps& steps) {
  std::unordered_map<std::int64_t, std::uint32_t> rows;
  for (std::uint32_t row = 0; row < steps.list.size(); ++row)
    rows.try_emplace(steps.list[row].id, row);
  return rows;
}

void find_long_rows(const Field& ids, Summary& out) {
  const auto rows = rows_by_id(out.steps);
  ids.for_each([&](const Field& id) {
    const auto row = rows.find(id.integer());
    if (row == rows.end())
      id.fail(fmt::format("is {}, which is no step of steps.list", id.integer()));
    out.long_steps.rows.push_back(row->second);
  });
  if (out.long_steps.rows.size() != out.long_steps.steps)
    ids.fail(fmt::format("names {} steps, but `steps` is {}", out.long_steps.rows.size(),
                         out.long_steps.steps));
}

void check_excess(const Field& excess, const LongSteps& steps) {
  std::int64_t sum = 0;
  for (const ExcessRow& row : steps.excess) add_time(row.ns_total, excess, sum);
  if (sum != steps.excess_ns_total)
    excess.fail(
        fmt::format("sum to {} ns, but excess_ns_total is {} ns", sum, steps.excess_ns_total));
}

// Documents of versions that called long steps outliers hold their sums alone.
void read_outliers(const Field& outliers, Summary& out) {
  LongSteps& steps = out.long_steps;
  steps.steps = outliers.at("steps").count();
  steps.wall_ns_total = read_time(outliers.at("wall_ns_total"));
  steps.loop_ns_total = out.partition.wall_ns_total + steps.wall_ns_total;
  steps.left_out = steps.steps > 0;
}

void check_sections(const Field& sections) {
  sections.at("list").for_each([](const Field& section) {
    if (section.at("divisions").json().empty()) section.at("divisions").fail("must not be empty");
  });
}

// Documents of earlier versions count what was not recorded as recorded.
void fill_recorded_times(Steps& steps) {
  steps.recorded_ns = steps.recorded.length();
  for (Section& section : steps.sections)
    for (Division& division : section.divisions)
      division.recorded_ns = intersect(division.host, steps.recorded).length();
}

void check_steps(const Field& steps, const Summary& out) {
  const std::size_t ranks = out.job ? out.job->ranks.size() : 1;
  if (out.counted.size() * ranks != out.partition.steps_counted)
    steps.at("list").fail(fmt::format("counts {} steps, but partition.steps_counted is {}",
                                      out.counted.size() * ranks, out.partition.steps_counted));
  if (out.steps.warm_up.steps > out.steps.list.size())
    steps.at("warm_up").at("steps").fail("is more than steps.list holds");
}

}  // namespace

void read_steps(const Field& steps, Summary& out) {
  std::vector<StepRow> rows;
  std::vector<std::int64_t> long_ids;
  FieldReader v(steps);
  document::step_fields(v, out, rows, long_ids);
  keep_rows(std::move(rows), out);
  const auto sections = steps.find("sections");
  if (sections) check_sections(*sections);
  if (!sections || !sections->find("recorded_ns")) fill_recorded_times(out.steps);
  if (const auto long_steps = steps.find("long_steps")) {
    find_long_rows(long_steps->at("ids"), out);
    check_excess(long_steps->at("excess"), out.long_steps);
  } else if (const auto outliers = steps.find("outliers")) {
    read_outliers(*outliers, out);
  }
  check_steps(steps, out);
}

}  // namespace stepscope
