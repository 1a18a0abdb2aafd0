// SPDX-License-Identifier: Apache-2.0
// Tool "whatif": what a step would take with a fix, by replay.
#include <fmt/format.h>

#include <algorithm>

#include "cli/mcp/tool.hpp"
#include "cli/verbs/whatif_question.hpp"
#include "core/findings/all_findings.hpp"
#include "core/simulate/edits/edit.hpp"
#include "core/support/duration.hpp"
#include "reports/json/json_rows.hpp"

namespace stepscope::mcp {
namespace {

std::string fixes_about() {
  std::string out =
      "Fixes to try, each alone and all together; without any, those that apply are ranked. "
      "KIND[@FILE:LINE|@phase=NAME|@cause=NAME|@direction=NAME][:factor=F][:every=N], FIX+FIX for "
      "one repair of "
      "two. Example: remove_sync@train.py:88. Kinds: ";
  for (const EditRow& row : all_edits()) out += fmt::format("{} ({}); ", row.name, row.about);
  out.resize(out.size() - 2);
  return out;
}

std::vector<Field> whatif_fields() {
  return {{.name = "fixes", .type = FieldType::texts, .about = fixes_about()},
          {.name = "apply_best",
           .type = FieldType::whole,
           .about = "Instead: the path of the N best fixes, each on top of those before it",
           .least = 1,
           .most = 20},
          {.name = "plain_step",
           .about = "The step's time without any profiler, like 38.2ms, where it was measured: "
                    "forecasts are anchored there"}};
}

Json head_of(const std::string& path, const WhatIf& whatif) {
  Json out = {{"trace", path},
              {"ns_per_step", whatif.step_ns},
              {"is_plain_step", whatif.is_plain_step},
              {"device_busy_ns_per_step", whatif.busy_ns},
              {"steps_counted", whatif.steps_counted},
              {"steps_replayed", whatif.steps_replayed},
              {"replay_error", whatif.check.error}};
  if (!whatif.abstained.empty()) out["abstained"] = whatif.abstained;
  if (whatif.together) out["together"] = json_rows::forecast(*whatif.together);
  out["notes"] = whatif.notes;
  return out;
}

Result<WhatIf> ask(const ToolCall& call, Run& run) {
  const auto events = run.events();
  if (!events) return events.error();
  WhatifRequest request{.fixes = call.arguments.texts("fixes")};
  if (const auto best = call.arguments.whole("apply_best"))
    request.apply_best = static_cast<std::size_t>(*best);
  if (!call.arguments.has("plain_step")) {
    const auto replay = run.replay();
    if (!replay) return replay.error();
    return ask_whatif(request, **events, run.findings_of_rank(), **replay);
  }
  const auto plain = parse_duration(call.arguments.text("plain_step"));
  if (!plain) return usage_error("plain_step: " + plain.error().message);
  const LoadedRun& loaded = **events;
  const Summary summary = summarize(loaded.trace, loaded.steps, loaded.attribution,
                                    SummaryOptions{.plain_step_ns = *plain});
  const auto replay = Simulator::build(loaded.trace, loaded.steps, loaded.attribution,
                                       loaded.summary.counted, {.plain_step_ns = *plain});
  if (!replay) return replay.error();
  const Findings findings =
      find_all_replayed(loaded.trace, loaded.steps, loaded.attribution, summary, replay);
  auto out = ask_whatif(request, loaded, findings, *replay);
  if (out) out->is_plain_step = true;
  return out;
}

// Writes a fix; what holds for every row is said once, as a note.
Json fix_row(WhatIfRow row, const std::vector<std::string>& notes) {
  std::erase_if(row.forecast.assumptions, [&notes](const std::string& sentence) {
    return std::find(notes.begin(), notes.end(), sentence) != notes.end();
  });
  return json_rows::fix(row);
}

Result<Json> answer_whatif(const ToolCall& call) {
  const auto run = call.runs.named_by(call.arguments, call.progress);
  if (!run) return run.error();
  const auto whatif = ask(call, **run);
  if (!whatif) return whatif.error();
  const auto at = [&whatif](std::size_t i) { return fix_row(whatif->rows[i], whatif->notes); };
  return page(head_of((*run)->name().path, *whatif),
              {.size = whatif->rows.size(), .at = at, .name = "fixes", .as_table = false},
              call.arguments);
}

}  // namespace

Tool whatif_tool() {
  return {.name = "whatif",
          .title = "What a fix would give",
          .about =
              "The step's time with a fix, before anybody makes it: the recorded steps are "
              "replayed (host threads, launches, streams, waits) with the fix. low..high holds "
              "90 %; ceiling_ns_per_step is what no luck undercuts. Several fixes are replayed "
              "together, never added. replay_error says how well the unchanged replay gives "
              "the measured step back; `abstained` says why no number can be relied on.",
          .fields = joined(joined({trace_field()}, whatif_fields()), page_fields()),
          .answer = answer_whatif};
}

}  // namespace stepscope::mcp
