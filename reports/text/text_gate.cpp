// SPDX-License-Identifier: Apache-2.0
// A gate's verdict, and a metric's history, as texts.
#include <fmt/format.h>

#include <cctype>

#include "core/report/documents.hpp"
#include "reports/text/sections.hpp"
#include "reports/text/text_pages.hpp"

namespace stepscope {
namespace {

using report::GateReport;
using report::Note;
using text_sections::table_text;
using text_sections::wrapped;

constexpr text_sections::Room kAllRows{.rows = static_cast<std::size_t>(-1)};

Colour colour_of_verdict(Tone tone) {
  return tone == Tone::neutral ? Colour::dim : colour_of(tone);
}

std::string titled(std::string title, Tone tone, const std::string& sentence, const Style& style) {
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return wrapped(style.paint(colour_of_verdict(tone), title) + "  ", sentence, style,
                 Colour::plain);
}

std::string metrics(const GateReport& gate, const Style& style) {
  const std::string table = table_text(gate.metrics, kAllRows, style);
  if (table.empty()) return "";
  return "\n" + table + (gate.note.empty() ? "" : wrapped("  ", gate.note, style, Colour::dim));
}

std::string reasons(const GateReport& gate, const Style& style) {
  std::string out;
  for (const GateReport::Reason& reason : gate.reasons) {
    out += "\n" + wrapped("  ", reason.sentence, style, Colour::plain);
    for (const Note& cause : reason.causes)
      if (cause.weight != report::Weight::minor)
        out += wrapped("    from ", cause.text, style, Colour::dim);
  }
  return out;
}

std::string not_judged(const GateReport& gate, const Style& style) {
  std::string out;
  for (const auto& [reason, names] : gate.not_judged)
    out += wrapped("Not judged: ", fmt::format("{}: {}", names, reason), style, Colour::dim);
  return out.empty() ? "" : "\n" + out;
}

std::string side(const char* name, const std::vector<Note>& runs, const Style& style) {
  std::string out;
  for (const Note& run : runs)
    out += wrapped(fmt::format("  {:<10}", out.empty() ? name : ""), run.text, style,
                   colour_of_note(run.tone));
  return out;
}

std::string to_be_known(const GateReport& gate, const Style& style) {
  std::string out;
  for (const std::string& warning : gate.warnings)
    out += wrapped("  ", warning, style, Colour::plain);
  return out.empty() ? "" : "\nTo be known (A is the baseline, B the candidate)\n" + out;
}

}  // namespace

std::string text_gate(const GateVerdict& verdict, const Style& style) {
  const GateReport gate = report::gate_report(verdict);
  const std::string counts = gate.counts_alone.empty()
                                 ? ""
                                 : "\n" + wrapped("  ", gate.counts_alone, style, Colour::plain);
  return titled(gate.title, gate.tone, gate.summary, style) + metrics(gate, style) +
         reasons(gate, style) + not_judged(gate, style) + counts + "\nRuns\n" +
         side("baseline", gate.baseline, style) + side("candidate", gate.candidate, style) +
         to_be_known(gate, style);
}

std::string text_history(const History& history, const Style& style) {
  std::string out;
  for (const report::MetricHistoryReport& metric : report::history_report(history)) {
    out += (out.empty() ? "" : "\n") + titled(metric.title, metric.tone, metric.sentence, style);
    const std::string table = table_text(metric.changes, kAllRows, style);
    out += table.empty() ? "  no change of level\n" : table;
    for (const auto& [names, reason] : metric.left_out)
      out += wrapped("  left out: ", names + ": " + reason, style, Colour::dim);
  }
  return out;
}

}  // namespace stepscope
