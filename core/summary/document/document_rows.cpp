// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
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

std::string read_operation(const Field& row, const std::vector<std::string>& operations) {
  const auto operation = row.find("operation");
  if (!operation) return "";
  const std::uint64_t place = operation->count();
  if (place >= operations.size())
    operation->fail(fmt::format("is {}, but `operations` has {} names", place, operations.size()));
  return operations[place];
}

CountPlace read_count_place(const Field& place, const std::vector<std::string>& operations) {
  CountPlace row;
  row.file = place.text_or("file");
  if (const auto line = place.find("line")) row.line = line->small_count();
  row.function = place.text_or("function");
  row.operation = read_operation(place, operations);
  row.direction = read_direction(place);
  row.total = place.at("total").count();
  return row;
}

// A count without places is of an earlier version, which did not know them.
void read_places(const Field& count, const std::vector<std::string>& operations, WorkCount& out) {
  const auto places = count.find("places");
  if (!places) return;
  std::uint64_t sum = 0;
  places->for_each([&](const Field& place) {
    out.places.push_back(read_count_place(place, operations));
    sum += out.places.back().total;
  });
  if (!out.places.empty() && sum != out.total)
    places->fail(fmt::format("sum to {}, but total is {}", sum, out.total));
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
  row.operation = read_operation(cell, operations);
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

std::vector<std::string> read_operations(const Field& document) {
  std::vector<std::string> out;
  if (const auto names = document.find("operations"))
    names->for_each([&](const Field& name) { out.push_back(name.text()); });
  return out;
}

WorkCount read_count(const Field& count, const std::vector<std::string>& operations) {
  WorkCount row{count.at("name").text(),
                count.at("total").count(),
                count.at("least_a_step").count(),
                count.at("most_a_step").count(),
                {},
                {}};
  read_places(count, operations, row);
  if (const auto all = count.find("in_recording")) row.in_recording = all->count();
  return row;
}

SourceText read_source(const Field& source) {
  SourceText out;
  out.file = source.at("file").text();
  const Field hashes = source.at("hashes");
  if (!read_hashes(hashes.text(), out.hashes)) hashes.fail("is no list of hashes");
  const Field lines = source.at("lines");
  if (!lines.json().is_object()) lines.fail("must be an object");
  for (const auto& [key, text] : lines.json().items()) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error != std::errc{} || end != key.data() + key.size())
      lines.fail(fmt::format("has '{}', which is no number of a line", key));
    out.lines[number] = Field(text, lines.path() + "." + key).text();
  }
  return out;
}

void read_cells(const Field& document, const std::vector<std::string>& operations, Summary& out) {
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
