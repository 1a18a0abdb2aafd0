// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_report.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "reports/json/json_devices.hpp"
#include "reports/json/json_findings.hpp"
#include "reports/json/json_rows.hpp"
#include "reports/json/json_steps.hpp"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

double per_step(std::int64_t total, std::uint64_t steps) {
  return steps == 0 ? 0 : static_cast<double>(total) / static_cast<double>(steps);
}

double per_step(std::uint64_t total, std::uint64_t steps) {
  return steps == 0 ? 0 : static_cast<double>(total) / static_cast<double>(steps);
}

Json run_json(const RunFacts& run) {
  Json out = {{"path", run.path},           {"source", run.source},
              {"command", run.command},     {"host", run.host},
              {"device", run.device},       {"device_count", run.device_count},
              {"processes", run.processes}, {"events", run.events}};
  if (!run.device_uuid.empty()) out["device_uuid"] = run.device_uuid;
  if (run.rank >= 0) out["rank"] = run.rank;
  if (run.world_size >= 0) out["world_size"] = run.world_size;
  out["versions"] = Json::object();
  for (const auto& [name, version] : run.versions) out["versions"][name] = version;
  return out;
}

Json reason_json(const JobReason& reason) {
  Json out = {{"cause", name_of(reason.cause)}, {"phase_path", reason.phase_path}};
  if (!reason.file.empty()) {
    out["file"] = reason.file;
    out["line"] = reason.line;
    if (!reason.function.empty()) out["function"] = reason.function;
  }
  out["ns_total"] = reason.ns_total;
  return out;
}

Json rank_json(const JobRank& rank) {
  Json reasons = Json::array();
  for (const JobReason& reason : rank.reasons) reasons.push_back(reason_json(reason));
  return {{"rank", rank.rank},
          {"host", rank.host},
          {"steps_counted", rank.steps_counted},
          {"wall_ns_total", rank.wall_ns_total},
          {"work_ns_total", rank.work_ns_total},
          {"transfer_ns_total", rank.transfer_ns_total},
          {"waits_ns_total", rank.waits_ns_total},
          {"undecided_ns_total", rank.undecided_ns_total},
          {"costs_others_ns_total", rank.costs_ns_total},
          {"times_last", rank.times_last},
          {"late", rank.is_late},
          {"gain_ns_total", rank.gain_ns_total},
          {"reasons", std::move(reasons)}};
}

Json job_json(const JobFacts& job) {
  Json out = {{"world_size", job.world_size},
              {"steps_counted", job.steps_counted},
              {"wall_ns_total", job.wall_ns_total},
              {"collectives", job.collectives}};
  out["ranks"] = Json::array();
  for (const JobRank& rank : job.ranks) out["ranks"].push_back(rank_json(rank));
  out["clocks"] = Json::array();
  for (const JobClock& clock : job.clocks)
    out["clocks"].push_back({{"host", clock.host},
                             {"offset_ns", clock.offset_ns},
                             {"drift", clock.drift},
                             {"error_ns", clock.error_ns},
                             {"collectives", clock.collectives}});
  out["notes"] = job.notes;
  return out;
}

Json part_json(const PartSum& part, const PartitionSummary& p) {
  const double ns = per_step(part.ns_total, p.steps_counted);
  return {{"cause", name_of(part.cause)},
          {"ns_total", part.ns_total},
          {"ns_per_step", ns},
          {"share", p.wall_ns_total == 0 ? 0 : ns / p.wall_ns_per_step()}};
}

Json parts_json(const PartitionSummary& p) {
  Json out = Json::array();
  for (const PartSum& part : p.parts) out.push_back(part_json(part, p));
  return out;
}

Json partition_json(const PartitionSummary& p) {
  Json out = Json::object();
  if (p.device) out["device"] = *p.device;
  out["steps_counted"] = p.steps_counted;
  out["wall_ns_total"] = p.wall_ns_total;
  out["wall_ns_per_step"] = p.wall_ns_per_step();
  out["p50_ns"] = p.p50_ns;
  out["p90_ns"] = p.p90_ns;
  out["device_busy_ns_total"] = p.device_busy_ns_total;
  out["device_busy_ns_per_step"] = per_step(p.device_busy_ns_total, p.steps_counted);
  out["host_wait_ns_total"] = p.host_wait_ns_total;
  out["queued_share"] = p.queued_share;
  out["bound"] = name_of(p.bound);
  out["why_bound"] = p.why_bound;
  if (p.plain_step_ns) out["plain_step_ns"] = *p.plain_step_ns;
  if (p.corrected_step_ns) out["corrected_step_ns"] = *p.corrected_step_ns;
  out["inflated"] = p.inflated;
  out["parts"] = parts_json(p);
  return out;
}

Json phase_json(const PhaseRow& row, std::uint64_t steps) {
  Json out = {{"phase", row.name}};
  if (!row.parent.empty()) out["parent"] = row.parent;
  out["path"] = row.path;
  out["wall_ns_total"] = row.wall_ns_total;
  out["wall_ns_per_step"] = per_step(row.wall_ns_total, row.steps_in);
  out["amortised_ns_per_step"] = per_step(row.wall_ns_total, steps);
  out["gpu_busy_ns_total"] = row.gpu_busy_ns_total;
  out["gpu_busy_ns_per_step"] = per_step(row.gpu_busy_ns_total, steps);
  out["exposed_ns_total"] = row.exposed_ns_total;
  out["exposed_ns_per_step"] = per_step(row.exposed_ns_total, steps);
  out["bytes_per_step"] = per_step(row.bytes_total, steps);
  out["calls_per_step"] = per_step(row.calls_total, steps);
  out["steps_in"] = row.steps_in;
  out["every_steps"] = row.every_steps;
  return out;
}

// Names of operations stand once, in the order of their first use; cells and the places of counts
// hold their place.
class OperationNames {
 public:
  std::size_t number(const std::string& name) {
    const auto [at, is_new] = places_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return at->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> names_;
};

void add_direction(Json& out, Direction direction) {
  if (direction != Direction::none) out["direction"] = name_of(direction);
}

Json cell_json(const CellRow& cell, OperationNames& operations) {
  Json out = {
      {"cause", name_of(cell.cause)}, {"phase", cell.phase}, {"phase_path", cell.phase_path}};
  if (!cell.file.empty()) {
    out["file"] = cell.file;
    out["line"] = cell.line;
    if (!cell.function.empty()) out["function"] = cell.function;
    add_direction(out, cell.direction);
  }
  if (!cell.operation.empty()) out["operation"] = operations.number(cell.operation);
  if (cell.device) out["device"] = *cell.device;
  out["ns_total"] = cell.ns_total;
  out["calls_total"] = cell.calls_total;
  return out;
}

Json count_place_json(const CountPlace& place, OperationNames& operations) {
  Json out = Json::object();
  if (!place.file.empty()) {
    out["file"] = place.file;
    out["line"] = place.line;
    if (!place.function.empty()) out["function"] = place.function;
    add_direction(out, place.direction);
  }
  if (!place.operation.empty()) out["operation"] = operations.number(place.operation);
  out["total"] = place.total;
  return out;
}

Json count_json(const WorkCount& count, std::uint64_t steps) {
  Json out = {{"name", count.name},
              {"total", count.total},
              {"per_step", per_step(count.total, steps)},
              {"least_a_step", count.least_a_step},
              {"most_a_step", count.most_a_step}};
  if (count.in_recording) out["in_recording"] = *count.in_recording;
  return out;
}

Json line_json(const LineRow& row, std::uint64_t steps) {
  Json out = {{"file", row.file},
              {"line", row.line},
              {"line_kind", row.kind == SiteKind::call ? "call" : "function"},
              {"function", row.function},
              {"cause", name_of(row.cause)},
              {"ns_total", row.ns_total},
              {"ns_per_step", per_step(row.ns_total, steps)},
              {"calls_per_step", per_step(row.calls_total, steps)},
              {"evidence", row.evidence}};
  add_direction(out, row.direction);
  return out;
}

Json kernel_json(const KernelRow& row, std::uint64_t steps) {
  Json out = {{"name", row.name},         {"class", name_of(row.cause)},
              {"phase", row.phase},       {"calls_per_step", per_step(row.calls_total, steps)},
              {"ns_total", row.ns_total}, {"ns_per_step", per_step(row.ns_total, steps)}};
  if (row.bytes_total > 0) out["bytes_per_step"] = per_step(row.bytes_total, steps);
  if (row.bytes_per_second) out["bytes_per_second"] = *row.bytes_per_second;
  return out;
}

// Communicators are hashes of 64 bits: as text, since many readers hold numbers as doubles.
Json transfer_json(const TransferRow& row, std::uint64_t steps) {
  Json out = {{"operation", row.operation}};
  if (row.communicator != 0) out["communicator"] = fmt::format("0x{:016x}", row.communicator);
  if (!row.reduce.empty()) out["reduce"] = row.reduce;
  out["phase"] = row.phase;
  out["calls_per_step"] = per_step(row.calls_total, steps);
  out["bytes_total"] = row.bytes_total;
  out["bytes_per_step"] = per_step(row.bytes_total, steps);
  out["ns_total"] = row.ns_total;
  out["ns_per_step"] = per_step(row.ns_total, steps);
  out["bytes_per_second"] = row.bytes_per_second();
  if (row.latest_rank < 0) return out;
  out["late_ns_total"] = row.late_ns_total;
  out["late_ns_per_step"] = per_step(row.late_ns_total, steps);
  out["latest_rank"] = {{"rank", row.latest_rank},
                        {"ns_per_step", per_step(row.latest_rank_ns_total, steps)}};
  return out;
}

void add_lines(Json& out, const LineShare& lines) {
  Json reasons = Json::array();
  for (const auto& [reason, ns] : lines.reasons())
    reasons.push_back({{"reason", name_of(reason)}, {"ns_total", ns}});
  out["line_share"] = lines.share();
  out["without_line"] = std::move(reasons);
  if (lines.samples == 0) return;
  out["sampled_line_share"] =
      static_cast<double>(lines.sampled_ns_total) / static_cast<double>(lines.wall_ns_total);
  out["samples"] = lines.samples;
}

Json trust_json(const Trust& t) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json out = {{"dropped", t.dropped},
              {"lost_chunks", t.lost_chunks},
              {"zero_timestamps", t.zero_timestamps},
              {"unknown_share", t.unknown_share},
              {"overhead_ns_per_step", or_null(t.overhead_ns_per_step)},
              {"link_rate", or_null(t.link_rate)},
              {"rivals", t.rivals},
              {"broken_invariants", t.broken_invariants},
              {"over_budget", t.over_budget},
              {"notes", t.notes}};
  if (t.lines.wall_ns_total > 0) add_lines(out, t.lines);
  if (t.core_wait_share) out["core_wait_share"] = *t.core_wait_share;
  if (t.overhead)
    out["overhead"] = {{"ratio", t.overhead->ratio},
                       {"low", t.overhead->low},
                       {"high", t.overhead->high},
                       {"windows", t.overhead->pairs}};
  if (t.left)
    out["overhead_left"] = {{"ratio", t.left->ratio},
                            {"low", t.left->low},
                            {"high", t.left->high},
                            {"steps", t.left->pairs}};
  if (t.recorder)
    out["recorder"] = {{"core_share", t.recorder->core_share},
                       {"ns_per_event", t.recorder->ns_per_event},
                       {"decode_ns_per_event", t.recorder->decode_ns_per_event}};
  return out;
}

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

Json document(const Summary& s) {
  const std::uint64_t n = s.partition.steps_counted;
  Json out = {{"schema", "stepscope.report/1"},
              {"tool", {{"name", "stepscope"}, {"version", STEPSCOPE_VERSION}}},
              {"run", run_json(s.run)}};
  if (s.job) out["job"] = job_json(*s.job);
  out["steps"] = steps_json(s);
  out["partition"] = partition_json(s.partition);
  out["devices"] = array_of(s.devices, partition_json);
  out["phases"] = array_of(s.phases, [n](const PhaseRow& row) { return phase_json(row, n); });
  OperationNames operations;
  out["cells"] = array_of(s.cells, [&](const CellRow& row) { return cell_json(row, operations); });
  out["counts"] = array_of(s.counts, [&](const WorkCount& row) {
    Json count = count_json(row, n);
    count["places"] = array_of(
        row.places, [&](const CountPlace& place) { return count_place_json(place, operations); });
    return count;
  });
  out["operations"] = operations.names();
  out["sources"] = array_of(s.sources, source_json);
  out["lines"] = array_of(s.lines, [n](const LineRow& row) { return line_json(row, n); });
  out["kernels"] = array_of(s.kernels, [n](const KernelRow& row) { return kernel_json(row, n); });
  out["collectives"] =
      array_of(s.transfers, [n](const TransferRow& row) { return transfer_json(row, n); });
  out["device_health"] = device_health_json(s);
  if (s.throughput) out["throughput"] = throughput_json(*s.throughput);
  out["findings"] = findings_json(s);
  if (s.findings && !s.findings->caution.empty()) out["findings_caution"] = s.findings->caution;
  if (s.findings && !s.findings->no_forecast.empty()) out["no_forecast"] = s.findings->no_forecast;
  out["no_gain"] = no_gain_json(s);
  out["cleared"] = cleared_json(s);
  out["abstained"] = abstained_json(s);
  out["trust"] = trust_json(s.trust);
  return out;
}

// Names come from the traced program: bytes that are no UTF-8 are replaced, never an exception.
std::string text_of(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_report(const Summary& summary) {
  return text_of(document(summary));
}

std::string json_reports(const std::vector<Summary>& summaries) {
  return text_of({{"schema", "stepscope.reports/1"}, {"reports", array_of(summaries, document)}});
}

namespace json_rows {

Json run(const RunFacts& run) {
  return run_json(run);
}

Json part(const PartSum& part, const PartitionSummary& partition) {
  return part_json(part, partition);
}

Json partition(const PartitionSummary& partition) {
  return partition_json(partition);
}

Json phase(const PhaseRow& row, std::uint64_t steps) {
  return phase_json(row, steps);
}

Json count(const WorkCount& row, std::uint64_t steps) {
  return count_json(row, steps);
}

Json line(const LineRow& row, std::uint64_t steps) {
  return line_json(row, steps);
}

Json kernel(const KernelRow& row, std::uint64_t steps) {
  return kernel_json(row, steps);
}

Json transfer(const TransferRow& row, std::uint64_t steps) {
  return transfer_json(row, steps);
}

Json trust(const Trust& trust) {
  return trust_json(trust);
}

}  // namespace json_rows
}  // namespace stepscope
