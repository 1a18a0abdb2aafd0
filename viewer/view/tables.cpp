// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/summary/rows/host_op_rows.hpp"
#include "core/support/duration.hpp"
#include "reports/wording/findings.hpp"
#include "reports/wording/health.hpp"
#include "reports/wording/line_groups.hpp"
#include "reports/wording/names.hpp"
#include "reports/wording/step_scale.hpp"
#include "reports/wording/tables.hpp"
#include "reports/wording/trust.hpp"
#include "viewer/view/difference_tables.hpp"

namespace stepscope::viewer {
namespace {

TableCell timed(const StepScale& scale, std::int64_t ns) {
  return {scale.time(ns), static_cast<double>(ns)};
}
TableCell shared(const StepScale& scale, std::int64_t ns) {
  return {scale.share(ns), static_cast<double>(ns)};
}
TableCell counted(const StepScale& scale, std::uint64_t calls) {
  return {scale.calls(calls), static_cast<double>(calls)};
}

Table owners_table(const StepScale& scale) {
  Table out{"Who owns the time",
            {{"owner", 230}, {scale.time_title(), 90, true}, {"share", 80, true}, {"what"}},
            {},
            {},
            ""};
  for (const PartSum& part : scale.summary.partition.parts) {
    out.rows.push_back({{{std::string(name_of(part.cause)), {}},
                         timed(scale, part.ns_total),
                         shared(scale, part.ns_total),
                         {cause_meaning(scale, part.cause), {}}},
                        part.cause,
                        RowAction::show_cause,
                        index_of(part.cause),
                        ""});
  }
  const std::int64_t wall = scale.summary.partition.wall_ns_total;
  out.rows.push_back({{{"= wall time", {}}, timed(scale, wall), shared(scale, wall), {"", {}}},
                      {},
                      RowAction::nothing,
                      0,
                      "",
                      true});
  return out;
}

Table phases_table(const StepScale& scale) {
  Table out{"Phases",
            {{"phase"},
             {scale.time_title(), 90, true},
             {"share", 80, true},
             {"calls", 80, true},
             {"GPU busy", 90, true},
             {"no compute", 90, true}},
            {},
            {},
            ""};
  for (const PhaseRow& row : scale.summary.phases) {
    const std::string remark = phase_remark_text(row);
    out.rows.push_back({{{std::string(std::size_t{3} * row.depth, ' ') + row.name +
                              (remark.empty() ? "" : " (" + remark + ")"),
                          {}},
                         timed(scale, row.wall_ns_total),
                         shared(scale, row.wall_ns_total),
                         counted(scale, row.calls_total),
                         timed(scale, row.gpu_busy_ns_total),
                         timed(scale, row.exposed_ns_total)},
                        {},
                        RowAction::show_phase,
                        0,
                        row.path});
  }
  return out;
}

Table kernels_table(const StepScale& scale, KernelGrouping by) {
  Table out{"Kernels",
            {{"device op"},
             {scale.time_title(), 90, true},
             {"calls", 80, true},
             {"GB/s", 70, true},
             {"class", 170},
             {"phase", 150}},
            {},
            {},
            "no device work was recorded"};
  const bool named = by == KernelGrouping::none || by == KernelGrouping::name;
  for (const KernelRow& row : group_kernels(scale.summary.kernels, by)) {
    const std::string rate = row.bytes_per_second ? format_rate(*row.bytes_per_second) : "";
    out.rows.push_back({{{named ? short_kernel_name(row.name) : row.name, {}},
                         timed(scale, row.ns_total),
                         counted(scale, row.calls_total),
                         {rate, row.bytes_per_second.value_or(0)},
                         {by == KernelGrouping::phase ? "" : std::string(name_of(row.cause)), {}},
                         {row.phase, {}}},
                        by == KernelGrouping::phase ? std::nullopt : std::optional(row.cause),
                        named                         ? RowAction::choose_kernel
                        : by == KernelGrouping::cause ? RowAction::show_cause
                                                      : RowAction::show_phase,
                        index_of(row.cause),
                        row.name});
  }
  return out;
}

Table lines_table(const StepScale& scale) {
  Table out{"Lines",
            {{"line"}, {scale.time_title(), 90, true}, {"share", 80, true}, {"of which", 420}},
            {},
            {},
            "no source line was recorded"};
  for (const LineGroup& group : line_groups(scale.summary.lines)) {
    const LineRow& first = *group.rows.front();
    std::string causes;
    for (const LineRow* row : group.rows)
      causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", name_of(row->cause),
                            scale.share(row->ns_total));
    TableRow row{{{fmt::format("{}:{} {}{}", first.file, first.line, first.function,
                               direction_text(first.direction)),
                   {}},
                  timed(scale, group.ns_total),
                  shared(scale, group.ns_total),
                  {causes, {}}},
                 first.cause,
                 RowAction::nothing,
                 0,
                 ""};
    if (!first.evidence.empty()) {
      row.action = RowAction::show_event;
      row.text = first.evidence.front();
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

Table transfers_table(const StepScale& scale) {
  Table out{"Communication",
            {{"communication"},
             {scale.time_title(), 90, true},
             {"calls", 80, true},
             {"sent", 100, true},
             {"per second", 100, true},
             {"phase", 150},
             {"of it waiting for", 220}},
            {},
            {},
            ""};
  for (const TransferRow& row : scale.summary.transfers) {
    const std::string name = row.operation + (row.reduce.empty() ? "" : " (" + row.reduce + ")");
    const double bytes = static_cast<double>(row.bytes_total) / scale.steps;
    out.rows.push_back({{{name, {}},
                         timed(scale, row.ns_total),
                         counted(scale, row.calls_total),
                         {format_bytes(bytes), bytes},
                         {format_bytes(row.bytes_per_second()), row.bytes_per_second()},
                         {row.phase, {}},
                         {waited_for_text(scale, row), {}}},
                        Cause::comm_transfer,
                        RowAction::search,
                        0,
                        row.operation});
  }
  return out;
}

Table findings_table(const StepScale& scale) {
  Table out{"What to do",
            {{"finding", 200},
             {"what it gives", 290, true},
             {"share", 70, true},
             {"where", 300},
             {"what"}},
            {},
            {},
            "nothing found that is worth 1 % of the step"};
  if (!scale.summary.findings) return out;
  const Findings& all = *scale.summary.findings;
  if (says_nothing(all)) out.empty = "without a recorded device most rules cannot be judged";
  if (!all.found.empty() && !all.caution.empty()) out.notes.push_back(all.caution);
  if (!all.found.empty() && !all.no_forecast.empty()) out.notes.push_back(all.no_forecast);
  for (std::size_t i = 0; i < all.found.size(); ++i) {
    const Finding& finding = all.found[i];
    const double share = gain_share(finding, scale);
    out.rows.push_back({{{fmt::format("{}  {}", i + 1, finding.id), static_cast<double>(i)},
                         {gain_text(finding, scale), share},
                         {format_share(share), share},
                         {where_text(finding), {}},
                         {finding.title, {}}},
                        {},
                        RowAction::show_finding,
                        i,
                        ""});
  }
  return out;
}

std::string rank_notes(const Ranks& ranks, std::uint32_t row) {
  if (row == ranks.slowest) return "slowest";
  return row == ranks.median ? "median" : "";
}

Table ranks_table(const Run& run) {
  const Ranks& ranks = run.ranks;
  Table out{"Ranks",
            {{"rank", 130},
             {"a step", 110, true},
             {"p50", 110, true},
             {"p90", 110, true},
             {"steps", 80, true},
             {"waits for others", 140, true},
             {"others wait for it", 150, true},
             {"last to enter", 120, true},
             {""}},
            {},
            {},
            ""};
  if (!ranks.collectives_known && !ranks.rows.empty())
    out.notes.push_back(
        "Who waited for whom cannot be told: not every rank is in the trace, or they ran other "
        "collectives.");
  const auto ns = [](std::int64_t value) {
    return TableCell{format_duration(static_cast<double>(value)), static_cast<double>(value)};
  };
  for (std::uint32_t i = 0; i < ranks.rows.size(); ++i) {
    const RankRow& row = ranks.rows[i];
    const bool shown = run.steps.process == row.process;
    out.rows.push_back(
        {{{fmt::format("{}{}", row.rank, shown ? "  (shown)" : ""), static_cast<double>(row.rank)},
          {format_duration(row.ns_per_step()), row.ns_per_step()},
          ns(row.p50_ns),
          ns(row.p90_ns),
          {std::to_string(row.steps_counted), static_cast<double>(row.steps_counted)},
          ns(row.waits_ns),
          ns(row.waited_for_ns),
          {std::to_string(row.collectives_last), static_cast<double>(row.collectives_last)},
          {rank_notes(ranks, i), {}}},
         {},
         RowAction::pick_rank,
         static_cast<std::size_t>(row.rank),
         ""});
  }
  return out;
}

Table marks_table(const Session& session) {
  Table out{"Marks", {{"mark"}, {"since the begin", 150, true}, {"length", 150, true}}, {}, {}, ""};
  for (std::size_t i = 0; i < session.marks().size(); ++i) {
    const Mark& mark = session.marks()[i];
    const auto from = static_cast<double>(mark.time.begin - session.run().trace.begin());
    const auto length = static_cast<double>(mark.time.length());
    out.rows.push_back(
        {{{mark.text, {}}, {format_duration(from), from}, {format_duration(length), length}},
         {},
         RowAction::go_to_mark,
         i,
         ""});
  }
  return out;
}

Table trust_table(const StepScale& scale) {
  Table out{"Trust", {{"how far to trust this"}}, {}, {}, ""};
  const auto say = [&](const std::string& text) {
    out.rows.push_back({{{text, {}}}, {}, RowAction::nothing, 0, ""});
  };
  const Trust& t = scale.summary.trust;
  for (const std::string& text : t.broken_invariants) say("BROKEN: " + text);
  for (const std::string& text : t.over_budget) say("UNEXPLAINED: " + text);
  say(steps_text(scale));
  for (const TrustFact& fact : trust_facts(scale)) say(fact.text + (fact.good ? "" : " (!)"));
  for (const std::string& rival : t.rivals) say("another tracer was active: " + rival);
  if (!t.abstained.empty()) say("not recorded, so never blamed: " + abstained_text(t));
  for (const DeviceHealth& health : scale.summary.device_health) say(health_line(health));
  for (const std::string& note : t.notes) say(note);
  return out;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_less(const TableCell& a, const TableCell& b) {
  if (a.value && b.value) return *a.value < *b.value;
  return a.text < b.text;
}

Table host_ops_table(const StepScale& scale, const std::vector<HostOpRow>& rows) {
  Table out{"CPU ops",
            {{"operation"},
             {scale.time_title(), 90, true},
             {"share", 80, true},
             {"calls", 80, true},
             {"class", 170}},
            {},
            {},
            ""};
  for (const HostOpRow& row : rows)
    out.rows.push_back({{{row.name, {}},
                         timed(scale, row.ns_total),
                         shared(scale, row.ns_total),
                         counted(scale, row.calls_total),
                         {std::string(name_of(row.cause)), {}}},
                        row.cause,
                        RowAction::show_cause,
                        index_of(row.cause),
                        row.name});
  return out;
}

}  // namespace

std::vector<Table> tables_of(const Desk& desk) {
  const Run& run = desk.active().run();
  if (!run.is_analysed) return {};
  const StepScale scale = scale_of(run.summary);
  std::vector<Table> out = difference_tables(desk);
  const auto& findings = run.summary.findings;
  const bool found = findings && !findings->found.empty();
  if (found) out.push_back(findings_table(scale));
  out.push_back(owners_table(scale));
  if (findings && !found) out.push_back(findings_table(scale));
  out.push_back(phases_table(scale));
  const std::vector<HostOpRow> host_ops = host_op_rows(run.summary.cells);
  if (scale.has_device)
    out.push_back(kernels_table(scale, desk.kernel_grouping));
  else if (!host_ops.empty())
    out.push_back(host_ops_table(scale, host_ops));
  out.push_back(lines_table(scale));
  if (!run.summary.transfers.empty()) out.push_back(transfers_table(scale));
  if (!run.ranks.rows.empty()) out.push_back(ranks_table(run));
  if (!desk.active().marks().empty()) out.push_back(marks_table(desk.active()));
  out.push_back(trust_table(scale));
  return out;
}

std::string as_text(const Table& table) {
  std::string out;
  for (const std::string& note : table.notes) out += note + "\n";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out += (i > 0 ? "\t" : "") + table.columns[i].title;
  out += "\n";
  for (const TableRow& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      out += (i > 0 ? "\t" : "") + row.cells[i].text;
    out += "\n";
  }
  return out;
}

Table filtered(Table table, const std::string& text) {
  if (text.empty()) return table;
  const std::string wanted = lower(text);
  std::erase_if(table.rows, [&](const TableRow& row) {
    return std::none_of(row.cells.begin(), row.cells.end(), [&](const TableCell& cell) {
      return lower(cell.text).find(wanted) != std::string::npos;
    });
  });
  return table;
}

void sort_by(Table& table, std::size_t column, bool descending) {
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const TableRow& a, const TableRow& b) {
    if (a.sum != b.sum) return b.sum;
    return descending ? is_less(b.cells[column], a.cells[column])
                      : is_less(a.cells[column], b.cells[column]);
  });
}

void act(Desk& desk, const TableRow& row) {
  switch (row.action) {
    case RowAction::nothing:
      return;
    case RowAction::choose_kernel:
      desk.choose_kernel(row.text);
      desk.active().search(row.text);
      return desk.apply(Command::next_match);
    case RowAction::search:
      desk.active().search(row.text);
      return desk.apply(Command::next_match);
    case RowAction::show_cause:
      return desk.show_cause(static_cast<Cause>(row.index));
    case RowAction::show_phase:
      return desk.show_phase(row.text);
    case RowAction::show_group:
      return desk.show_group(row.index);
    case RowAction::show_finding:
      return desk.show_finding(row.index);
    case RowAction::show_event:
      if (const auto event = event_named(desk.active().run(), row.text)) desk.active().jump(*event);
      return desk.follow();
    case RowAction::pick_rank:
      if (const Status picked = desk.pick_rank(static_cast<std::int32_t>(row.index)); !picked)
        desk.notice = picked.error().message;
      return;
    case RowAction::go_to_mark:
      desk.active().go_to(desk.active().marks()[row.index].time);
      return desk.follow();
  }
}

}  // namespace stepscope::viewer
