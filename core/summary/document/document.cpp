// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "core/summary/document/document_field.hpp"
#include "core/summary/document/document_findings.hpp"

namespace stepscope {
namespace {

constexpr std::string_view kSchema = "stepscope.report/1";

Cause read_cause(const Field& field) {
  const std::string name = field.text();
  const std::optional<Cause> cause = cause_named(name);
  if (!cause) field.fail(fmt::format("'{}' is no cause that this version knows", name));
  return *cause;
}

std::int64_t read_time(const Field& field) {
  const std::int64_t ns = field.integer();
  if (ns < 0) field.fail("must not be negative");
  return ns;
}

RunFacts read_run(const Field& run) {
  RunFacts out;
  out.path = run.text_or("path");
  out.source = run.text_or("source");
  out.command = run.text_or("command");
  out.host = run.text_or("host");
  out.device = run.text_or("device");
  out.device_uuid = run.text_or("device_uuid");
  if (const auto count = run.find("device_count")) out.device_count = count->small_count();
  if (const auto count = run.find("processes")) out.processes = count->count();
  if (const auto count = run.find("events")) out.events = count->count();
  if (const auto rank = run.find("rank")) out.rank = static_cast<std::int32_t>(rank->integer());
  if (const auto size = run.find("world_size"))
    out.world_size = static_cast<std::int32_t>(size->integer());
  if (const auto versions = run.find("versions")) {
    if (!versions->json().is_object()) versions->fail("must be an object");
    for (const auto& [name, version] : versions->json().items())
      out.versions.emplace_back(name, Field(version, versions->path() + "." + name).text());
  }
  return out;
}

std::vector<PartSum> read_parts(const Field& parts) {
  std::vector<PartSum> out;
  parts.for_each([&](const Field& part) {
    out.push_back({read_cause(part.at("cause")), read_time(part.at("ns_total"))});
  });
  return out;
}

Bound read_bound(const Field& field) {
  const std::string name = field.text();
  for (const Bound bound : {Bound::device, Bound::host, Bound::mixed, Bound::not_judged})
    if (name == name_of(bound)) return bound;
  field.fail(fmt::format("'{}' is none of device, host, mixed, not_judged", name));
}

PartitionSummary read_partition(const Field& partition) {
  PartitionSummary out;
  if (const auto device = partition.find("device")) out.device = device->small_count();
  out.steps_counted = partition.at("steps_counted").count();
  out.wall_ns_total = read_time(partition.at("wall_ns_total"));
  out.p50_ns = read_time(partition.at("p50_ns"));
  out.p90_ns = read_time(partition.at("p90_ns"));
  if (const auto busy = partition.find("device_busy_ns_total"))
    out.device_busy_ns_total = read_time(*busy);
  if (const auto wait = partition.find("host_wait_ns_total"))
    out.host_wait_ns_total = read_time(*wait);
  if (const auto queued = partition.find("queued_share")) out.queued_share = queued->number();
  out.bound = read_bound(partition.at("bound"));
  out.why_bound = partition.text_or("why_bound");
  if (const auto inflated = partition.find("inflated")) out.inflated = inflated->flag();
  if (const auto plain = partition.find("plain_step_ns")) out.plain_step_ns = read_time(*plain);
  if (const auto corrected = partition.find("corrected_step_ns"))
    out.corrected_step_ns = read_time(*corrected);
  out.parts = read_parts(partition.at("parts"));
  std::int64_t sum = 0;
  for (const PartSum& part : out.parts) sum += part.ns_total;
  if (sum != out.wall_ns_total)
    partition.at("parts").fail(
        fmt::format("sum to {} ns, but wall_ns_total is {} ns", sum, out.wall_ns_total));
  return out;
}

FoundBy read_found_by(const Field& field) {
  const std::string name = field.text();
  for (auto i = static_cast<int>(FoundBy::none); i <= static_cast<int>(FoundBy::whole_trace); ++i)
    if (name == name_of(static_cast<FoundBy>(i))) return static_cast<FoundBy>(i);
  field.fail(fmt::format("'{}' is no way to find steps that this version knows", name));
}

void read_step_parts(const Field& step, PerCause<std::int64_t>& parts) {
  const Field field = step.at("parts");
  if (!field.json().is_object()) field.fail("must be an object");
  for (const auto& [name, ns] : field.json().items()) {
    const Field part(ns, field.path() + "." + name);
    const std::optional<Cause> cause = cause_named(name);
    if (!cause) part.fail("is no cause that this version knows");
    parts[index_of(*cause)] = read_time(part);
  }
}

WarmUp read_warm_up(const Field& steps) {
  const auto field = steps.find("warm_up");
  if (!field) return {};
  return {field->at("steps").count(), read_time(field->at("wall_ns")), field->text_or("why")};
}

Division read_division(const Field& field) {
  return {read_found_by(field.at("found_by")),
          field.at("steps").count(),
          {field.at("begin_ns").integer(), field.at("end_ns").integer()},
          field.text_or("how")};
}

// Documents of earlier versions have none.
void read_sections(const Field& field, Steps& out) {
  out.recorded = {field.at("begin_ns").integer(), field.at("end_ns").integer()};
  field.at("list").for_each([&](const Field& section) {
    Section read{.kind = section.text_or("kind"), .divisions = {}};
    section.at("divisions").for_each([&](const Field& division) {
      read.divisions.push_back(read_division(division));
    });
    if (read.divisions.empty()) section.at("divisions").fail("must not be empty");
    out.sections.push_back(std::move(read));
  });
  const Result<SectionChoice> chosen = parse_section(field.at("chosen").text());
  if (!chosen) field.at("chosen").fail("must be a section's number, like \"1\" or \"1.1\"");
  out.chosen = *chosen;
}

ExcessRow read_excess(const Field& row) {
  ExcessRow out;
  out.cause = read_cause(row.at("cause"));
  out.file = row.text_or("file");
  if (const auto line = row.find("line")) out.line = line->small_count();
  out.function = row.text_or("function");
  out.ns_total = row.at("ns_total").integer();
  return out;
}

std::uint32_t row_of_id(const Steps& steps, const Field& id) {
  for (std::uint32_t row = 0; row < steps.list.size(); ++row)
    if (steps.list[row].id == id.integer()) return row;
  id.fail(fmt::format("is {}, which is no step of steps.list", id.integer()));
}

// Documents that an earlier version wrote left steps out as outliers: they are trimmed views.
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
  field.at("ids").for_each([&](const Field& id) { out.rows.push_back(row_of_id(steps, id)); });
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
    sum += out.excess.back().ns_total;
  });
  if (sum != out.excess_ns_total)
    field.at("excess").fail(
        fmt::format("sum to {} ns, but excess_ns_total is {} ns", sum, out.excess_ns_total));
  return out;
}

void read_steps(const Field& steps, Summary& out) {
  out.steps.found_by = read_found_by(steps.at("found_by"));
  out.steps.confidence = steps.at("confidence").number();
  out.steps.how = steps.text_or("how");
  out.counting = steps.text_or("counting");
  if (const auto notes = steps.find("notes"))
    notes->for_each([&](const Field& note) { out.steps.notes.push_back(note.text()); });
  steps.at("list").for_each([&](const Field& field) {
    Step step;
    step.id = field.at("id").integer();
    step.window.begin = field.at("begin_ns").integer();
    const auto wall = field.find("wall_ns");
    step.wall_known = wall.has_value();
    step.window.end = step.window.begin + (wall ? read_time(*wall) : 0);
    step.host = step.window;
    step.steady = field.at("steady").flag();
    step.why_not_steady = field.text_or("why_not_steady");
    if (const auto compile = field.find("compile_ns")) step.compile_ns = read_time(*compile);
    const auto counted = field.find("counted");
    if (counted ? counted->flag() : step.steady)
      out.counted.push_back(static_cast<std::uint32_t>(out.steps.list.size()));
    out.steps.list.push_back(std::move(step));
    out.step_parts.emplace_back();
    read_step_parts(field, out.step_parts.back());
  });
  out.steps.warm_up = read_warm_up(steps);
  if (out.steps.warm_up.steps > out.steps.list.size())
    steps.at("warm_up").at("steps").fail("is more than steps.list holds");
  if (const auto sections = steps.find("sections")) read_sections(*sections, out.steps);
  if (const auto long_steps = steps.find("long_steps"))
    out.long_steps = read_long_steps(*long_steps, out.steps);
  else if (const auto outliers = steps.find("outliers"))
    out.long_steps = read_outliers(*outliers, out.partition.wall_ns_total);
}

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

void read_cells(const Field& document, Summary& out) {
  std::vector<std::string> operations;
  if (const auto names = document.find("operations"))
    names->for_each([&](const Field& name) { operations.push_back(name.text()); });
  std::int64_t sum = 0;
  const Field cells = document.at("cells");
  cells.for_each([&](const Field& cell) {
    out.cells.push_back(read_cell(cell, operations));
    if (!out.cells.back().device) sum += out.cells.back().ns_total;
  });
  if (sum != out.partition.wall_ns_total)
    cells.fail(fmt::format("sum to {} ns, but partition.wall_ns_total is {} ns", sum,
                           out.partition.wall_ns_total));
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

DeviceHealth read_health(const Field& field) {
  DeviceHealth out;
  out.device = field.at("device").small_count();
  if (const auto samples = field.find("samples")) out.samples = samples->count();
  if (const auto clock = field.find("sm_clock_mhz"))
    out.sm_clock_mhz =
        ClockSpread{clock->at("median").number(), clock->at("lowest").number(),
                    clock->at("highest").number(), clock->at("highest_seen").number()};
  return out;
}

void read_trust(const Field& document, Trust& out) {
  const auto trust = document.find("trust");
  if (!trust) return;
  if (const auto dropped = trust->find("dropped")) out.dropped = dropped->count();
  if (const auto lost = trust->find("lost_chunks")) out.lost_chunks = lost->count();
  if (const auto share = trust->find("unknown_share")) out.unknown_share = share->number();
  const auto texts = [&](const char* name, std::vector<std::string>& to) {
    if (const auto list = trust->find(name))
      list->for_each([&](const Field& text) { to.push_back(text.text()); });
  };
  texts("rivals", out.rivals);
  texts("broken_invariants", out.broken_invariants);
  texts("over_budget", out.over_budget);
  texts("notes", out.notes);
}

void check_steps(const Field& steps, const Summary& out) {
  if (out.counted.size() != out.partition.steps_counted)
    steps.at("list").fail(fmt::format("counts {} steps, but partition.steps_counted is {}",
                                      out.counted.size(), out.partition.steps_counted));
}

void check_schema(const Field& document) {
  const std::string schema = document.at("schema").text();
  if (schema == kSchema) return;
  document.at("schema").fail(
      schema.starts_with("stepscope.reports/")
          ? fmt::format("'{}' holds several reports: give one document a run", schema)
          : fmt::format("'{}', but this version reads '{}'", schema, kSchema));
}

Summary read_summary(const Field& document) {
  Summary out;
  out.run = read_run(document.at("run"));
  out.partition = read_partition(document.at("partition"));
  read_steps(document.at("steps"), out);
  check_steps(document.at("steps"), out);
  if (const auto devices = document.find("devices"))
    devices->for_each([&](const Field& d) { out.devices.push_back(read_partition(d)); });
  document.at("phases").for_each([&](const Field& p) { out.phases.push_back(read_phase(p)); });
  read_cells(document, out);
  if (const auto counts = document.find("counts"))
    counts->for_each([&](const Field& c) {
      out.counts.push_back({c.at("name").text(), c.at("total").count(),
                            c.at("least_a_step").count(), c.at("most_a_step").count()});
    });
  if (const auto kernels = document.find("kernels"))
    kernels->for_each([&](const Field& k) {
      out.kernels.push_back(read_kernel(k, out.partition.steps_counted));
    });
  if (const auto health = document.find("device_health"))
    health->for_each([&](const Field& d) { out.device_health.push_back(read_health(d)); });
  read_trust(document, out.trust);
  out.findings = read_findings(document);
  return out;
}

}  // namespace

bool looks_like_report_document(std::string_view begin_of_text) {
  const auto brace = begin_of_text.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos || begin_of_text[brace] != '{') return false;
  const auto key = begin_of_text.find("\"schema\"");
  if (key == std::string_view::npos) return false;
  const auto value = begin_of_text.find_first_not_of(" \t\r\n:", key + 8);
  return value != std::string_view::npos && begin_of_text.substr(value).starts_with("\"stepscope.");
}

Result<Summary> parse_report_document(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return bad_input("is not sound JSON: was it cut off?");
  try {
    const Field document(json);
    try {
      check_schema(document);
    } catch (const FieldError& error) {
      return Error{ErrorCode::unsupported, error.what()};
    }
    return read_summary(document);
  } catch (const FieldError& error) {
    return bad_input(error.what());
  }
}

Result<Summary> read_report_document(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return io_error("cannot open " + path.string());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return io_error("cannot read " + path.string());
  Result<Summary> summary = parse_report_document(text);
  if (!summary) return Error{summary.error().code, path.string() + ": " + summary.error().message};
  if (summary->run.path.empty()) summary->run.path = path.string();
  return summary;
}

}  // namespace stepscope
