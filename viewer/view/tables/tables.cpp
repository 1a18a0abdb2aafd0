// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/tables/tables.hpp"

#include <fmt/format.h>

#include "core/report/notes.hpp"
#include "core/report/tables.hpp"
#include "core/report/wording/findings.hpp"
#include "core/report/wording/health.hpp"
#include "core/report/wording/long_steps.hpp"
#include "core/report/wording/trust.hpp"
#include "core/support/duration.hpp"
#include "viewer/view/tables/difference_tables.hpp"
#include "viewer/view/tables/report_table.hpp"

namespace stepscope::viewer {
namespace {

Table findings_table(const StepScale& scale) {
  Table out{"What to do",
            {{"finding"}, {"what it gives", true}, {"share", true}, {"where"}, {"what"}},
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

Table trust_table(const StepScale& scale) {
  Table out{"Trust", {{"how far to trust this"}}, {}, {}, ""};
  const auto say = [&](const std::string& text) {
    out.rows.push_back({{{text, {}}}, {}, RowAction::nothing, 0, ""});
  };
  for (const report::Note& note : report::alerts(scale)) say(note.with_label());
  for (const std::string& sentence : long_steps_texts(scale)) say(sentence);
  for (const report::Note& note : report::step_notes(scale)) say(note.text);
  for (const TrustFact& fact : trust_facts(scale)) say(fact.text + (fact.good ? "" : " (!)"));
  for (const DeviceHealth& health : scale.summary.device_health) say(health_line(health));
  for (const report::Note& note : report::trust_notes(scale)) say(note.with_items());
  return out;
}

}  // namespace

std::vector<Table> tables_of(const Desk& desk) {
  const Run& run = desk.active().run();
  if (!run.is_analysed) return {};
  const StepScale scale = scale_of(run.summary);
  std::vector<Table> out = difference_tables(desk);
  const auto add = [&out](const std::vector<report::Table>& some) {
    for (const report::Table& table : some)
      if (!table.rows.empty() || !table.empty.empty()) out.push_back(table_of_report(table));
  };
  report::Tables tables = report::report_tables(scale, desk.kernel_grouping);
  const auto& findings = run.summary.findings;
  const bool found = findings && !findings->found.empty();
  if (found) out.push_back(findings_table(scale));
  add(tables.ledger);
  if (findings && !found) out.push_back(findings_table(scale));
  add(tables.details);
  if (!run.ranks.rows.empty()) out.push_back(ranks_table(run));
  if (run.job) out.push_back(table_of_report(report::ranks_table(scale_of(*run.job))));
  add(tables.loops);
  if (!desk.active().marks().empty()) out.push_back(marks_table(desk.active()));
  out.push_back(trust_table(scale));
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
