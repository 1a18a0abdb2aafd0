// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_documents.hpp"

#include <nlohmann/json.hpp>

#include "reports/json/field_writer.hpp"
#include "reports/json/json_rows.hpp"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

Json source_json(const SourceText& source) {
  Json lines = Json::object();
  for (const auto& [number, text] : source.lines) lines[std::to_string(number)] = text;
  return {{"file", source.file},
          {"hashes", text_of_hashes(source.hashes)},
          {"lines", std::move(lines)}};
}

template <class Row, class F>
Json array_of(const std::vector<Row>& rows, F to_json) {
  Json out = Json::array();
  for (const Row& row : rows) out.push_back(to_json(row));
  return out;
}

Json reasons_json(const std::vector<NotFound>& list, Json out = Json::array()) {
  for (const NotFound& one : list) out.push_back({{"id", one.id}, {"reason", one.reason}});
  return out;
}

// Causes that cannot be seen come before rules that cannot be judged.
Json abstained_json(const Trust& trust, const Findings& findings) {
  Json out = Json::array();
  for (const Abstention& cause : trust.abstained)
    out.push_back({{"id", cause.id}, {"reason", cause.reason}});
  return reasons_json(findings.abstained, std::move(out));
}

Json counts_json(const Summary& s, document::OperationNames& operations) {
  Json out = Json::array();
  for (const WorkCount& count : s.counts) {
    Json one = document::object_of(count, s.partition.steps_counted);
    document::FieldWriter(one, &operations).list("places", count.places);
    out.push_back(std::move(one));
  }
  return out;
}

Json steps_json(const Summary& s) {
  std::vector<document::StepRow> rows;
  for (std::size_t i = 0; i < s.steps.list.size(); ++i)
    rows.push_back({s.steps.list[i], false, s.step_parts[i]});
  for (const std::uint32_t row : s.counted) rows[row].counted = true;
  std::vector<std::int64_t> long_ids;
  for (const std::uint32_t row : s.long_steps.rows) long_ids.push_back(s.steps.list[row].id);
  Json out = Json::object();
  document::FieldWriter v(out);
  document::step_fields(v, s, rows, long_ids);
  return out;
}

Json document_of(const Summary& s) {
  const std::uint64_t n = s.partition.steps_counted;
  const Findings findings = s.findings.value_or(Findings{});
  Json out = {{"schema", "stepscope.report/1"},
              {"tool", {{"name", "stepscope"}, {"version", STEPSCOPE_VERSION}}}};
  document::OperationNames operations;
  document::FieldWriter v(out, &operations);
  v.need("run", s.run);
  v.if_any("job", s.job);
  out["steps"] = steps_json(s);
  v.need("partition", s.partition);
  v.list("devices", s.devices);
  v.list("phases", s.phases, n);
  v.list("cells", s.cells);
  out["counts"] = counts_json(s, operations);
  v.need("operations", operations.names());
  out["sources"] = array_of(s.sources, source_json);
  v.list("lines", s.lines, n);
  v.list("kernels", s.kernels, n);
  v.list("collectives", s.transfers, n);
  v.list("device_health", s.device_health);
  v.if_any("throughput", s.throughput);
  v.list("findings", findings.found);
  v.if_any("findings_caution", findings.caution);
  v.if_any("no_forecast", findings.no_forecast);
  v.list("no_gain", findings.no_gain);
  out["cleared"] = reasons_json(findings.cleared);
  out["abstained"] = abstained_json(s.trust, findings);
  v.need("trust", s.trust);
  return out;
}

// Names come from the traced program: bytes that are no UTF-8 are replaced, never an exception.
std::string text_of(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_report(const Summary& summary) {
  return text_of(document_of(summary));
}

std::string json_reports(const std::vector<Summary>& summaries) {
  return text_of(
      {{"schema", "stepscope.reports/1"}, {"reports", array_of(summaries, document_of)}});
}

namespace document {

void FieldWriter::lines(const LineShare& lines) {
  if (lines.wall_ns_total == 0) return;
  Json reasons = Json::array();
  for (const auto& [reason, ns] : lines.reasons())
    reasons.push_back({{"reason", name_of(reason)}, {"ns_total", ns}});
  out_["line_share"] = lines.share();
  out_["without_line"] = std::move(reasons);
  if (lines.samples == 0) return;
  out_["sampled_line_share"] =
      static_cast<double>(lines.sampled_ns_total) / static_cast<double>(lines.wall_ns_total);
  out_["samples"] = lines.samples;
}

}  // namespace document

namespace json_rows {

using document::object_of;

Json run(const RunFacts& run) {
  return object_of(run);
}

Json part(const PartSum& part, const PartitionSummary& partition) {
  return object_of(part, partition);
}

Json partition(const PartitionSummary& partition) {
  return object_of(partition);
}

Json phase(const PhaseRow& row, std::uint64_t steps) {
  return object_of(row, steps);
}

Json count(const WorkCount& row, std::uint64_t steps) {
  return object_of(row, steps);
}

Json line(const LineRow& row, std::uint64_t steps) {
  return object_of(row, steps);
}

Json kernel(const KernelRow& row, std::uint64_t steps) {
  return object_of(row, steps);
}

Json transfer(const TransferRow& row, std::uint64_t steps) {
  return object_of(row, steps);
}

Json trust(const Trust& trust) {
  return object_of(trust);
}

Json finding(const Finding& finding) {
  return object_of(finding);
}

Json step(const Step& step, bool counted, const PerCause<std::int64_t>& parts) {
  return object_of(document::StepRow{step, counted, parts});
}

}  // namespace json_rows
}  // namespace stepscope
