// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/tables/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/report.hpp"
#include "core/support/duration.hpp"

namespace stepscope::viewer {
namespace {

Table findings_table(const report::Report& report) {
  Table out{"What to do",
            {{"finding"}, {"what it gives", true}, {"share", true}, {"where"}, {"what"}},
            {},
            {},
            report.findings ? report.findings->none
                            : "without a recorded device most rules cannot be judged"};
  if (!report.findings) return out;
  const report::FindingsText& all = *report.findings;
  for (const std::string& note : {all.caution, all.no_forecast})
    if (!note.empty()) out.notes.push_back(note);
  std::size_t number = 0;  // A finding about the machine has none, as in reports.
  for (std::size_t i = 0; i < all.found.size(); ++i) {
    const report::FindingText& finding = all.found[i];
    const double share = finding.gain_share;
    const std::string name =
        finding.machine.empty() ? fmt::format("{}  {}", ++number, finding.id) : finding.id;
    out.rows.push_back({{{name, static_cast<double>(i)},
                         {finding.gain, share},
                         {format_share(share), share},
                         {finding.where, {}},
                         {finding.title, {}}},
                        {},
                        RowAction::show_finding,
                        i,
                        ""});
  }
  return out;
}

// Returns the findings of all ranks together, each with its fix in a column of its own: no row leads
// to an event, since these are events of several ranks.
Table job_findings_table(const Summary& job) {
  const report::Report report = report::report_of(job);
  Table out = findings_table(report);
  out.title = "What to do, all ranks";
  out.columns.push_back({"do"});
  for (TableRow& row : out.rows) {
    row.cells.push_back({report.findings->found[row.index].todo, {}});
    row.action = RowAction::nothing;
  }
  return out;
}

Table ranks_table(const Run& run) {
  const Ranks& ranks = run.ranks;
  Table out{"Ranks",
            {{"rank"},
             {"a step", true},
             {"p50", true},
             {"p90", true},
             {"steps", true},
             {"waits for others", true},
             {"others wait for it", true},
             {"last to enter", true},
             {""}},
            {},
            {},
            ""};
  const bool any_of_job = std::ranges::any_of(
      ranks.rows, [&](const RankRow& row) { return job_rank(run, row.rank) != nullptr; });
  if (!ranks.collectives_known && !any_of_job && !ranks.rows.empty())
    out.notes.push_back(
        "Who waited for whom cannot be told: not every rank is in the trace, or they ran other "
        "collectives.");
  const auto ns = [](std::int64_t value) {
    return TableCell{format_duration(static_cast<double>(value)), static_cast<double>(value)};
  };
  for (std::uint32_t i = 0; i < ranks.rows.size(); ++i) {
    const RankRow& row = ranks.rows[i];
    const bool shown = run.steps.process == row.process;
    // Only the summary of all ranks knows who waited in collectives on the host.
    const JobRank* job = ranks.collectives_known ? nullptr : job_rank(run, row.rank);
    const std::uint64_t last = job ? job->times_last : row.collectives_last;
    out.rows.push_back(
        {{{fmt::format("{}{}", row.rank, shown ? "  (shown)" : ""), static_cast<double>(row.rank)},
          {format_duration(row.ns_per_step()), row.ns_per_step()},
          ns(row.p50_ns),
          ns(row.p90_ns),
          {std::to_string(row.steps_counted), static_cast<double>(row.steps_counted)},
          ns(job ? job->waits_ns_total : row.waits_ns),
          ns(job ? job->costs_ns_total : row.waited_for_ns),
          {std::to_string(last), static_cast<double>(last)},
          {rank_note(run, i), {}}},
         {},
         RowAction::pick_rank,
         static_cast<std::size_t>(row.rank),
         ""});
  }
  return out;
}

Table marks_table(const Session& session) {
  Table out{"Marks", {{"mark"}, {"since the begin", true}, {"length", true}}, {}, {}, ""};
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

Table trust_table(const report::Report& report) {
  Table out{"Trust", {{"how far to trust this"}}, {}, {}, ""};
  const auto say = [&](const std::string& text) {
    out.rows.push_back({{{text, {}}}, {}, RowAction::nothing, 0, ""});
  };
  for (const report::Note& note : report.alerts) say(note.with_label());
  for (const std::string& sentence : report.long_steps) say(sentence);
  for (const report::Note& note : report.steps) say(note.text);
  for (const TrustFact& fact : report.facts) say(fact.text + (fact.good ? "" : " (!)"));
  for (const report::DeviceText& device : report.devices) say(device.line);
  for (const report::Note& note : report.trust) say(note.with_items());
  return out;
}

}  // namespace

std::vector<Table> tables_of(const Desk& desk) {
  const Run& run = desk.active().run();
  if (!run.is_analysed) return {};
  const report::Report report = report::report_of(run.summary, desk.kernel_grouping);
  std::vector<Table> out = difference_tables(desk);
  const auto add = [&out](const std::vector<report::Table>& some) {
    for (const report::Table& table : some)
      if (!table.rows.empty() || !table.empty.empty()) out.push_back(table_of_report(table));
  };
  const auto& findings = run.summary.findings;
  const bool found = findings && !findings->found.empty();
  if (run.job && run.job->findings) out.push_back(job_findings_table(*run.job));
  if (found) out.push_back(findings_table(report));
  add(report.tables.ledger);
  if (findings && !found) out.push_back(findings_table(report));
  add(report.tables.details);
  if (!run.ranks.rows.empty()) out.push_back(ranks_table(run));
  if (run.job) out.push_back(table_of_report(report::ranks_table(scale_of(*run.job))));
  add(report.tables.loops);
  if (!desk.active().marks().empty()) out.push_back(marks_table(desk.active()));
  out.push_back(trust_table(report));
  for (Table& table : out) table = without_empty_columns(std::move(table));
  return out;
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
