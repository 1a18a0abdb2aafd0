// SPDX-License-Identifier: Apache-2.0
// Verdicts, forecasts and histories as texts and as Markdown, with a row of each kind that they have.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/report/documents.hpp"
#include "reports/markdown/markdown_pages.hpp"
#include "reports/text/text_pages.hpp"
#include "tests/reports/sample_verdicts.hpp"

namespace stepscope {
namespace {

void expect_document(const std::string& name, const std::string& text) {
  const std::string path = std::string(STEPSCOPE_SOURCE_DIR) + "/tests/reports/golden/" + name;
  if (std::getenv("STEPSCOPE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, golden.str()) << "see " << path;
}

WhatIf ranked_fixes() {
  WhatIf out{.path = "run.scope", .step_ns = 8.2e6, .busy_ns = 5.1e6};
  out.check = {.measured_ns_per_step = 8.2e6, .replayed_ns_per_step = 8.25e6, .error = 0.006};
  out.steps_replayed = 20;
  out.steps_counted = 18;
  out.notes = {"the profiler slowed the host"};
  Forecast gain;
  gain.ns_per_step = 6.9e6;
  gain.low_ns_per_step = 6.7e6;
  gain.high_ns_per_step = 7.2e6;
  gain.ceiling_ns_per_step = 6.5e6;
  gain.assumptions = {"the copies have a stream of their own"};
  Forecast none = gain;
  none.ns_per_step = none.low_ns_per_step = none.high_ns_per_step = 8.2e6;
  Forecast worse = none;
  worse.ns_per_step = 9e6;
  WhatIfRow sync{.repair = {Fix{}}, .finding = "host_sync", .how_much = "1 in 2"};
  sync.file = "/proj/train.py";
  sync.line = 88;
  sync.function = "step";
  sync.other_lines = 2;
  sync.forecast = gain;
  WhatIfRow phase{.repair = {Fix{.kind = FixKind::scale_work, .factor = 0.5}}, .how_much = "x0.5"};
  phase.phase = "forward/attention";
  phase.forecast = none;
  WhatIfRow cause{.repair = {Fix{.kind = FixKind::drop_work}, Fix{.kind = FixKind::pin_memory}}};
  cause.repair.front().scope.cause = Cause::host_alloc;
  cause.forecast = worse;
  WhatIfRow whole{.repair = {Fix{}}};
  whole.forecast = gain;
  out.rows = {sync, phase, cause, whole};
  return out;
}

History two_metrics() {
  History out;
  MetricHistory time{.metric = *parse_metric("step_time"), .outcome = Outcome::regression};
  time.why = "rose by 7.5 % with c3";
  for (const char* name : {"c1", "c2", "c3"}) time.points.push_back({name, 40e6, ""});
  time.points.push_back({"c0", std::nullopt, "another device"});
  time.changes = {{2, 40e6, 43e6, 0.0004}, {1, 0, 40e6, 0.02}};
  MetricHistory syncs{.metric = *parse_metric("host_syncs"), .outcome = Outcome::pass};
  syncs.why = "no rise within the last 10";
  out.metrics = {time, syncs};
  return out;
}

TEST(Documents, ReadAsTheGoldenTexts) {
  const Style style{.colour = false, .unicode = true};
  WhatIf whatif = ranked_fixes();
  expect_document("whatif.txt", text_whatif(whatif, style));
  whatif.kind = WhatIfKind::path;
  whatif.together = whatif.rows.front().forecast;
  whatif.abstained = "the replay is 20 % off";
  expect_document("whatif_path.txt", text_whatif(whatif, style));
  whatif.rows.clear();
  expect_document("whatif_none.txt", text_whatif(whatif, style));
  expect_document("history.txt", text_history(two_metrics(), style));
  expect_document("gate_regression.txt", text_gate(samples::regression(), style));
  expect_document("gate_budget.txt", text_gate(samples::broken_budget(), style));
  expect_document("gate_open.txt", text_gate(samples::open_verdict(), style));
}

TEST(Documents, ReadAsTheGoldenMarkdown) {
  expect_document("gate_regression.md", markdown_gate(samples::regression()));
  expect_document("gate_budget.md", markdown_gate(samples::broken_budget()));
  expect_document("gate_other.md", markdown_gate(samples::not_comparable()));
}

TEST(Documents, TextAndMarkdownSayTheSameOfAVerdict) {
  const auto letters = [](std::string text) {
    for (const std::string escape : {"&lt;", "&gt;", "&amp;"})
      for (std::size_t at = 0; (at = text.find(escape)) != std::string::npos;)
        text.erase(at, escape.size());
    std::string out;
    for (const char c : text)
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) out += c;
    return out;
  };
  for (const GateVerdict& verdict : samples::all_verdicts()) {
    const report::GateReport gate = report::gate_report(verdict);
    std::vector<std::string> said = gate.warnings;
    for (const report::Row& row : gate.metrics.rows)
      for (const report::Cell& cell : row.cells) said.push_back(std::get<report::Words>(cell).text);
    for (const report::GateReport::Reason& reason : gate.reasons) said.push_back(reason.sentence);
    for (const auto& [reason, names] : gate.not_judged) said.push_back(names + reason);
    for (const auto* side : {&gate.baseline, &gate.candidate})
      for (const report::Note& run : *side) said.push_back(run.text);
    for (const std::string& document : {text_gate(verdict, {}), markdown_gate(verdict)})
      for (const std::string& sentence : said)
        EXPECT_NE(letters(document).find(letters(sentence)), std::string::npos)
            << sentence << "\nin " << document;
  }
}

}  // namespace
}  // namespace stepscope
