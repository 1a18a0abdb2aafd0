// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>

#include "core/summary/document/field_reader.hpp"
#include "core/summary/document/step_fields.hpp"

namespace stepscope {
namespace {

using document::FieldReader;
using document::read;
using document::read_word;

constexpr std::string_view kSchema = "stepscope.report/1";

void check_schema(const Field& document) {
  const std::string schema = document.at("schema").text();
  if (schema == kSchema) return;
  document.at("schema").fail(
      schema.starts_with("stepscope.reports/")
          ? fmt::format("'{}' holds several reports: give one document a run", schema)
          : fmt::format("'{}', but this version reads '{}'", schema, kSchema));
}

std::vector<std::string> read_operations(const Field& document) {
  std::vector<std::string> out;
  if (const auto names = document.find("operations")) read(*names, out);
  return out;
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

template <class Rows, class TimeOf>
void check_sum(const Field& rows, const Rows& all, TimeOf time_of, std::int64_t wall,
               const char* what) {
  std::int64_t sum = 0;
  for (const auto& row : all) add_time(time_of(row), rows, sum);
  if (sum != wall) rows.fail(fmt::format("sum to {} ns, but {} is {} ns", sum, what, wall));
}

void check_parts(const Field& partition, const PartitionSummary& read) {
  check_sum(
      partition.at("parts"), read.parts, [](const PartSum& part) { return part.ns_total; },
      read.wall_ns_total, "wall_ns_total");
}

void check_cells(const Field& cells, const Summary& read) {
  const auto time_of = [](const CellRow& cell) { return cell.device ? 0 : cell.ns_total; };
  check_sum(cells, read.cells, time_of, read.partition.wall_ns_total, "partition.wall_ns_total");
}

// A count without places is of an earlier version, which did not know them.
void read_counts(const Field& list, const std::vector<std::string>& operations, Summary& out) {
  list.for_each([&](const Field& field) {
    WorkCount& count = out.counts.emplace_back();
    FieldReader v(field, &operations);
    fields(v, count, out.partition.steps_counted);
    v.maybe_list("places", count.places);
    std::uint64_t sum = 0;
    for (const CountPlace& place : count.places) sum += place.total;
    if (!count.places.empty() && sum != count.total)
      field.at("places").fail(fmt::format("sum to {}, but total is {}", sum, count.total));
  });
}

// The time that has a line is written as a share of the wall time.
void read_lines(const Field& trust, std::int64_t wall, LineShare& out) {
  const auto reasons = trust.find("without_line");
  if (!reasons) return;
  const auto part_of_wall = [&](const Field& share) {
    return std::llround(share.number() * static_cast<double>(wall));
  };
  out.wall_ns_total = wall;
  out.with_line_ns_total = part_of_wall(trust.at("line_share"));
  if (const auto sampled = trust.find("sampled_line_share"))
    out.sampled_ns_total = part_of_wall(*sampled);
  if (const auto samples = trust.find("samples")) out.samples = samples->count();
  reasons->for_each([&](const Field& one) {
    NoLine reason{};
    read_word(one.at("reason"), NoLine::between_records, reason);
    out.without[static_cast<std::size_t>(reason)] = read_time(one.at("ns_total"));
  });
}

// The same list names causes that were not recorded: "gpu" and ids with a dot.
bool is_cause_id(const std::string& id) {
  return id == "gpu" || id.find('.') != std::string::npos;
}

void read_reasons(const Field& document, const char* name, std::vector<NotFound>& rules,
                  std::vector<Abstention>* causes) {
  const auto list = document.find(name);
  if (!list) return;
  list->for_each([&](const Field& one) {
    const std::string id = one.at("id").text();
    if (!is_cause_id(id))
      rules.push_back({id, one.text_or("reason")});
    else if (causes)
      causes->push_back({id, one.text_or("reason")});
  });
}

void read_findings(const Field& document, Summary& summary) {
  Findings out;
  FieldReader v(document);
  v.maybe_list("findings", out.found);
  v.maybe_list("no_gain", out.no_gain);
  read_reasons(document, "cleared", out.cleared, nullptr);
  read_reasons(document, "abstained", out.abstained, &summary.trust.abstained);
  v.if_any("findings_caution", out.caution);
  v.if_any("no_forecast", out.no_forecast);
  const bool looked =
      !out.found.empty() || !out.no_gain.empty() || !out.cleared.empty() || !out.abstained.empty();
  if (looked) summary.findings = std::move(out);
}

void read_partitions(const Field& document, Summary& out) {
  FieldReader v(document);
  v.need("partition", out.partition);
  check_parts(document.at("partition"), out.partition);
  const auto devices = document.find("devices");
  if (!devices) return;
  devices->for_each([&](const Field& device) {
    FieldReader inner(device);
    fields(inner, out.devices.emplace_back());
    check_parts(device, out.devices.back());
  });
}

void read_job_facts(const Field& document, Summary& out) {
  FieldReader(document).if_any("job", out.job);
  if (out.job && out.job->ranks.size() < 2)
    document.at("job").at("ranks").fail("must hold two ranks or more");
}

void read_tables(const Field& document, Summary& out) {
  const std::vector<std::string> operations = read_operations(document);
  const std::uint64_t steps = out.partition.steps_counted;
  FieldReader v(document, &operations);
  v.list("phases", out.phases, steps);
  v.list("cells", out.cells);
  check_cells(document.at("cells"), out);
  if (const auto counts = document.find("counts")) read_counts(*counts, operations, out);
  v.maybe_list("lines", out.lines, steps);
  v.maybe_list("kernels", out.kernels, steps);
  v.maybe_list("collectives", out.transfers, steps);
  v.maybe_list("device_health", out.device_health);
  v.if_any("throughput", out.throughput);
  v.maybe("trust", out.trust);
}

Summary read_summary(const Field& document) {
  Summary out;
  FieldReader(document).need("run", out.run);
  read_partitions(document, out);
  read_job_facts(document, out);
  read_steps(document.at("steps"), out);
  read_tables(document, out);
  if (const auto sources = document.find("sources"))
    sources->for_each([&](const Field& source) { out.sources.push_back(read_source(source)); });
  if (const auto trust = document.find("trust"))
    read_lines(*trust, out.partition.wall_ns_total, out.trust.lines);
  read_findings(document, out);
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
  try {
    const nlohmann::json json = parse_json(text);
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
