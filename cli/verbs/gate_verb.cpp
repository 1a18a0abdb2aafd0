// SPDX-License-Identifier: Apache-2.0
// stepscope gate: load both sides, judge, write, and say it by the exit code.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/gate/baseline_store.hpp"
#include "cli/gate/gate_commands.hpp"
#include "cli/gate/gate_report.hpp"
#include "cli/input/load_summary.hpp"
#include "cli/output/failure.hpp"
#include "cli/verbs/verbs.hpp"

namespace stepscope {
namespace {

constexpr const char* kGateExamples =
    "Examples:\n"
    "  stepscope gate --baseline main1.json main2.json main3.json --candidate new*.scope\n"
    "  stepscope gate --baseline base.json --candidate new.json --policy policy.json\n"
    "  stepscope gate --candidate new.scope --policy budgets.json     budgets need no baseline\n"
    "  stepscope gate --baseline main --candidate new*.scope      by a name of 'stepscope "
    "baseline'\n"
    "  stepscope gate run --baseline-cmd './old' --candidate-cmd './new' -n 5     records both\n"
    "  stepscope gate history perf                     a rise in a folder of stored results\n"
    "A run is whatever 'stepscope report' reads: a trace, or the JSON of a report. Counts "
    "(kernels,\n"
    "waits, copies, ...) are judged from one run; times need three a side, better five, recorded "
    "in\n"
    "turns. A policy says what is judged: stepscope help gate.\n"
    "Exit codes: 0 pass, 1 regression, 2 usage or policy, 3 inconclusive or not comparable, 4 bad\n"
    "input. --inconclusive pass|fail turns the inconclusive 3 into 0 or 1; what cannot be "
    "compared\n"
    "is never a pass.";

struct GateArguments {
  std::vector<std::string> baseline;
  std::vector<std::string> candidate;
  std::string baselines = kBaselineFolder;
  GatePolicyOptions policy;
  ReadOptions read;
  GateReportOptions report;
};

Error naming(const std::string& path, const Error& error) {
  const bool named = error.message.find(path) != std::string::npos;
  return named ? error : Error{error.code, path + ": " + error.message};
}

// Errors name the file.
Result<std::vector<Summary>> load_side(const std::vector<std::string>& given,
                                       const GateArguments& arguments) {
  const ReadOptions& options = arguments.read;
  const auto paths = run_paths(given, BaselineStore(arguments.baselines));
  if (!paths) return paths.error();
  std::vector<Summary> out;
  for (Result<Summary>& summary : load_summaries(*paths, options)) {
    const std::string& path = (*paths)[out.size()];
    if (!summary) return naming(path, summary.error());
    summary->run.path = path;
    out.push_back(std::move(*summary));
  }
  return out;
}

Status check_sides(const GateArguments& arguments, const Policy& policy) {
  if (arguments.candidate.empty()) return usage_error("--candidate is missing: the runs to judge");
  if (arguments.baseline.empty() && policy.needs_baseline())
    return usage_error(
        "--baseline is missing: the runs before the change; without it only the budgets of a "
        "policy can be judged");
  for (const auto* side : {&arguments.baseline, &arguments.candidate})
    for (const std::string& path : *side)
      if (std::count(side->begin(), side->end(), path) > 1)
        return usage_error(path + ": given twice; a run counts once");
  return Done{};
}

int run_gate(const GateArguments& arguments) {
  const Status readable = check_read_options(arguments.read);
  if (!readable) return fail("gate", "", readable.error());
  const Result<Policy> policy = arguments.policy.read();
  if (!policy) return fail("gate", arguments.policy.file, policy.error());
  const Status sides = check_sides(arguments, *policy);
  if (!sides) return fail("gate", "", sides.error());
  std::vector<std::string> inputs = arguments.baseline;
  inputs.insert(inputs.end(), arguments.candidate.begin(), arguments.candidate.end());
  auto report = GateReport::open(arguments.report, inputs);
  if (!report) return fail("gate", "", report.error());
  GateArguments reading = arguments;
  reading.read.find = policy->new_findings.has_value();
  const auto baseline = load_side(arguments.baseline, reading);
  if (!baseline) return fail("gate", "", baseline.error());
  const auto candidate = load_side(arguments.candidate, reading);
  if (!candidate) return fail("gate", "", candidate.error());
  return report->write(judge(*policy, *baseline, *candidate));
}

}  // namespace

void add_gate_verb(CLI::App& app, int& status) {
  auto arguments = std::make_shared<GateArguments>();
  CLI::App* verb = app.add_subcommand("gate", "Is this change a regression? By its exit code");
  verb->add_option("--baseline", arguments->baseline, "runs before the change")->type_name("RUN");
  verb->add_option("--candidate", arguments->candidate, "runs with the change")->type_name("RUN");
  verb->add_option("--baselines", arguments->baselines, "where 'stepscope baseline' keeps them")
      ->capture_default_str()
      ->type_name("DIR");
  add_gate_policy_options(*verb, arguments->policy);
  add_reading_options(*verb, arguments->read);
  add_gate_report_options(*verb, arguments->report);
  verb->footer(kGateExamples);
  add_gate_history_verb(*verb, status);
#ifdef STEPSCOPE_HAS_PROFILE
  add_gate_run_verb(*verb, status);
#endif
  verb->callback([verb, arguments, &status] {
    if (verb->get_subcommands().empty()) status = run_gate(*arguments);
  });
}

}  // namespace stepscope
