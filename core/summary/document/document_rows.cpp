// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/summary/document/document_values.hpp"

namespace stepscope {
namespace {

Direction read_direction(const Field& cell) {
  const std::string name = cell.text_or("direction");
  for (std::size_t i = 0; i < kDirectionNames.size(); ++i) {
    if (kDirectionNames[i] == name) return static_cast<Direction>(i);
  }
  cell.at("direction").fail(fmt::format("is '{}', which is no direction", name));
}

CellRow read_cell(const Field& cell, const std::vector<std::string>& operations) {
  CellRow row;
  row.cause = read_cause(cell.at("cause"));
  row.phase = cell.at("phase").text();
  row.phase_path = cell.text_or("phase_path", row.phase);
  row.file = cell.text_or("file");
  if (const auto line = cell.find("line")) row.line = line->small_count();
  row.function = cell.text_or("function");
  row.direction = read_direction(cell);
  if (const auto operation = cell.find("operation")) {
    const std::uint64_t place = operation->count();
    if (place >= operations.size())
      operation->fail(
          fmt::format("is {}, but `operations` has {} names", place, operations.size()));
    row.operation = operations[place];
  }
  if (const auto device = cell.find("device")) row.device = device->small_count();
  row.ns_total = read_time(cell.at("ns_total"));
  if (const auto calls = cell.find("calls_total")) row.calls_total = calls->count();
  return row;
}

}  // namespace

PhaseRow read_phase(const Field& phase) {
  PhaseRow row;
  row.name = phase.at("phase").text();
  row.parent = phase.text_or("parent");
  row.path = phase.text_or("path", row.name);
  row.depth = static_cast<std::uint32_t>(std::count(row.path.begin(), row.path.end(), '/'));
  row.wall_ns_total = read_time(phase.at("wall_ns_total"));
  if (const auto busy = phase.find("gpu_busy_ns_total")) row.gpu_busy_ns_total = read_time(*busy);
  if (const auto exposed = phase.find("exposed_ns_total"))
    row.exposed_ns_total = read_time(*exposed);
  if (const auto steps = phase.find("steps_in")) row.steps_in = steps->count();
  if (const auto every = phase.find("every_steps")) row.every_steps = every->number();
  return row;
}

KernelRow read_kernel(const Field& kernel, std::uint64_t steps) {
  KernelRow row;
  row.name = kernel.at("name").text();
  row.cause = read_cause(kernel.at("class"));
  row.phase = kernel.text_or("phase");
  row.calls_total = static_cast<std::uint64_t>(
      std::llround(kernel.at("calls_per_step").number() * static_cast<double>(steps)));
  row.ns_total = read_time(kernel.at("ns_total"));
  return row;
}

WorkCount read_count(const Field& count) {
  WorkCount row{count.at("name").text(),
                count.at("total").count(),
                count.at("least_a_step").count(),
                count.at("most_a_step").count(),
                {}};
  if (const auto all = count.find("in_recording")) row.in_recording = all->count();
  return row;
}

void read_cells(const Field& document, Summary& out) {
  std::vector<std::string> operations;
  if (const auto names = document.find("operations"))
    names->for_each([&](const Field& name) { operations.push_back(name.text()); });
  std::int64_t sum = 0;
  const Field cells = document.at("cells");
  cells.for_each([&](const Field& cell) {
    out.cells.push_back(read_cell(cell, operations));
    if (!out.cells.back().device) add_time(out.cells.back().ns_total, cells, sum);
  });
  if (sum != out.partition.wall_ns_total)
    cells.fail(fmt::format("sum to {} ns, but partition.wall_ns_total is {} ns", sum,
                           out.partition.wall_ns_total));
}

}  // namespace stepscope
