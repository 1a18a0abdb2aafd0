// SPDX-License-Identifier: Apache-2.0
// Tool "findings": what costs time, by what its fix would give; and what was cleared or not judged.
#include <fmt/format.h>

#include <algorithm>

#include "cli/mcp/tool.hpp"
#include "core/findings/all_findings.hpp"
#include "core/report/report.hpp"
#include "core/simulate/fix_text.hpp"
#include "core/support/words.hpp"
#include "reports/json/json_rows.hpp"

namespace stepscope::mcp {
namespace {

constexpr const char* kOfJob =
    "these are of all ranks together, as table `ranks` lists them; `report` with rank=N reads one "
    "alone from then on, and `whatif`, `steps` and `event` are of one (the lowest, if none is "
    "chosen)";

std::vector<Field> finding_fields() {
  return {
      {.name = "id",
       .about = "Only this rule's, and in full: places, forecast, code hint, what would falsify "
                "it, evidence events, and the `fix` that whatif takes. Example: host_sync"},
      {.name = "list",
       .about = "found (default): what costs time. no_gain: what costs time and yet gives nothing "
                "if it is fixed, and why. cleared: what was looked at and costs "
                "nothing, and why. abstained: what this trace cannot tell, and why",
       .choices = {"found", "no_gain", "cleared", "abstained"}}};
}

// A job has findings of its own, beside those of the rules.
Status check_id(const std::string& id, const Findings& findings) {
  const auto is_it = [&id](const auto& one) { return one.id == id; };
  if (id.empty() || std::any_of(findings.found.begin(), findings.found.end(), is_it) ||
      std::any_of(findings.cleared.begin(), findings.cleared.end(), is_it) ||
      std::any_of(findings.abstained.begin(), findings.abstained.end(), is_it))
    return Done{};
  const auto ids = finding_ids();
  for (const std::string_view known : ids)
    if (known == id) return Done{};
  const std::string_view near = nearest(id, ids);
  return usage_error(fmt::format("id: '{}' is no finding; {}", id,
                                 near.empty() ? "tool 'explain' without an id lists them"
                                              : fmt::format("did you mean '{}'?", near)));
}

Json short_row(const Finding& finding, const StepScale& scale) {
  const report::FindingText text = report::finding_text(finding, scale);
  Json out = {{"id", finding.id},
              {"severity", name_of(finding.severity)},
              {"where", text.where},
              {"title", finding.title},
              {"caused_ns_per_step", finding.caused_ns_per_step},
              {"gain", text.gain},
              {"gain_share", text.gain_share},
              {"fix", finding.fix}};
  if (!finding.no_gain.empty()) out["no_gain"] = finding.no_gain;
  return out;
}

// A fix for whatif is named for the one rank that it replays, which a job's findings need not be about.
Json full_row(const Finding& finding, const StepScale& scale, const Run& run) {
  Json out = json_rows::finding(finding);
  const report::FindingText text = report::finding_text(finding, scale);
  out["gain"] = text.gain;
  out["gain_share"] = text.gain_share;
  const auto events = run.events();
  if (events && !scale.summary.job && !finding.fixes.empty())
    out["whatif_fix"] = text_of(finding.fixes, (*events)->trace, (*events)->attribution);
  return out;
}

Json reasons_page(const std::vector<NotFound>& list, const std::string& id, Json head,
                  const Arguments& arguments) {
  std::vector<const NotFound*> rows;
  for (const NotFound& one : list)
    if (id.empty() || one.id == id) rows.push_back(&one);
  const auto at = [&rows](std::size_t i) {
    return Json{{"id", rows[i]->id}, {"reason", rows[i]->reason}};
  };
  return page(std::move(head), {.size = rows.size(), .at = at}, arguments);
}

Json found_page(Run& run, const std::vector<Finding>& list, const std::string& id, Json head,
                const Arguments& arguments) {
  const StepScale scale = scale_of(run.summary());
  std::vector<const Finding*> rows;
  for (const Finding& finding : list)
    if (id.empty() || finding.id == id) rows.push_back(&finding);
  const auto at = [&](std::size_t i) {
    return id.empty() ? short_row(*rows[i], scale) : full_row(*rows[i], scale, run);
  };
  return page(std::move(head), {.size = rows.size(), .at = at, .as_table = false}, arguments);
}

Json head_of(Run& run, const Findings& all) {
  Json out = {{"trace", run.name().path}};
  if (run.summary().job) out["ranks"] = kOfJob;
  if (!all.caution.empty()) out["caution"] = all.caution;
  if (!all.no_forecast.empty()) out["no_forecast"] = all.no_forecast;
  out["found"] = all.found.size();
  out["no_gain"] = all.no_gain.size();
  out["cleared"] = all.cleared.size();
  out["abstained"] = all.abstained.size();
  return out;
}

Result<Json> answer_findings(const ToolCall& call) {
  const std::string id = call.arguments.text("id");
  const auto run = call.runs.named_by(call.arguments, call.progress);
  if (!run) return run.error();
  const auto& findings = (*run)->summary_with_findings().findings;
  if (!findings)
    return usage_error((*run)->name().path + ": this report was written without findings");
  const Status known = check_id(id, *findings);
  if (!known) return known.error();
  const std::string list = call.arguments.text("list", "found");
  Json head = head_of(**run, *findings);
  if (list == "found" || list == "no_gain")
    return found_page(**run, list == "found" ? findings->found : findings->no_gain, id,
                      std::move(head), call.arguments);
  const auto& reasons = list == "cleared" ? findings->cleared : findings->abstained;
  return reasons_page(reasons, id, std::move(head), call.arguments);
}

}  // namespace

Tool findings_tool() {
  return {.name = "findings",
          .title = "What costs time, and what to do",
          .about =
              "Patterns that cost time, the most worthwhile fix first: where (file:line), what "
              "they cause in ns a step on the exact partition, and what the step becomes with "
              "the fix by replay, with a 90 % interval. Ask with `id` for one in full before "
              "you change code, and with list=cleared before you 'fix' something that looks "
              "slow: it may cost nothing.",
          .fields = joined(joined({trace_field()}, finding_fields()), page_fields()),
          .answer = answer_findings};
}

}  // namespace stepscope::mcp
