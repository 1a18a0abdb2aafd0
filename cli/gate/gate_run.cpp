// SPDX-License-Identifier: Apache-2.0
#include "cli/gate/gate_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/gate/gate_report.hpp"
#include "cli/input/load_summary.hpp"
#include "cli/output/failure.hpp"
#include "cli/output/output.hpp"
#include "cli/programs/interruption.hpp"
#include "cli/programs/profiled_run.hpp"
#include "cli/programs/work_folder.hpp"
#include "cli/verbs/option_hints.hpp"
#include "core/support/duration.hpp"
#include "reports/json/json_documents.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGateRunExamples =
    "Examples:\n"
    "  stepscope gate run --baseline-cmd './train_old' --candidate-cmd './train_new' -n 5\n"
    "  stepscope gate run --baseline-cmd 'git -C base ... && python base/train.py' \\\n"
    "                     --candidate-cmd 'python train.py' --start-after 20 --steps 100\n"
    "Each command is a line for the shell, run N times in turns under 'stepscope profile'. What "
    "it\n"
    "prints goes into a file; a command that fails ends the gate with exit code 4 and its last\n"
    "lines. --level light costs least; it records no call sites, so that a regression has no line.";

struct GateRunArguments {
  std::string baseline_command;
  std::string candidate_command;
  std::uint32_t runs = 5;
  std::string keep;  // folder for traces, reports and outputs; empty: none is kept
  ProfiledRunOptions profile{.level = "standard"};  // the least that names lines
  ReadOptions read;
  GatePolicyOptions policy;
  GateReportOptions report;
};

struct Turn {
  bool candidate = false;
  std::uint32_t number = 1;  // its number on its side

  std::string name() const {
    return fmt::format("{}.{}", candidate ? "candidate" : "baseline", number);
  }
};

std::vector<Turn> turns_of(std::uint32_t runs) {
  std::vector<Turn> out;
  for (std::uint32_t pair = 1; pair <= runs; ++pair) {
    const bool candidate_first = pair % 2 == 0;
    out.push_back({candidate_first, pair});
    out.push_back({!candidate_first, pair});
  }
  return out;
}

// The trace's report stays where the folder is kept; the trace goes, unless it is kept too.
Status keep_report(const Summary& summary, const WorkFolder& folder, const Turn& turn) {
  std::error_code error;
  if (!folder.kept()) {
    fs::remove_all(folder.at(turn.name() + ".scope"), error);
    return Done{};
  }
  auto output = Output::open(folder.at(turn.name() + ".json"));
  return output ? output->finish(json_report(summary)) : Status(output.error());
}

Result<Summary> record(const GateRunArguments& arguments, const WorkFolder& folder,
                       const Turn& turn) {
  const std::string& command =
      turn.candidate ? arguments.candidate_command : arguments.baseline_command;
  const Status ran = run_profiled(command, folder.at(turn.name()), arguments.profile);
  if (!ran) return Error{ran.error().code, turn.name() + ": " + ran.error().message};
  auto summary = load_summary(folder.at(turn.name() + ".scope"), arguments.read);
  if (!summary) return summary;
  if (const Status kept = keep_report(*summary, folder, turn); !kept) return kept.error();
  summary->run.path = turn.name();
  return summary;
}

void print_progress(const Turn& turn, std::size_t done, std::size_t all, const Summary& summary) {
  say("stepscope gate run: {:>2} of {}  {:<13} {} step{} of {}\n", done, all, turn.name(),
      summary.partition.steps_counted, summary.partition.steps_counted == 1 ? "" : "s",
      format_duration(summary.partition.wall_ns_per_step()));
}

Error interrupted(std::size_t done, std::size_t all) {
  return {ErrorCode::inconclusive,
          fmt::format("interrupted after {} of {} runs: nothing is judged", done, all)};
}

int run_in_turns(const GateRunArguments& arguments) {
  if (const Status readable = check_read_options(arguments.read); !readable)
    return fail("gate run", "", readable.error());
  const Result<Policy> policy = arguments.policy.read();
  if (!policy) return fail("gate run", arguments.policy.file, policy.error());
  auto report = GateReport::open(arguments.report);
  if (!report) return fail("gate run", "", report.error());
  const Result<WorkFolder> folder = WorkFolder::make(arguments.keep, "stepscope-gate");
  if (!folder) return fail("gate run", "", folder.error());
  GateRunArguments recording = arguments;
  recording.read.find = policy->new_findings.has_value();
  const Interruption noted;
  std::vector<Summary> baseline, candidate;
  const std::vector<Turn> turns = turns_of(arguments.runs);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    auto summary = record(recording, *folder, turns[i]);
    if (Interruption::came()) return fail("gate run", "", interrupted(i, turns.size()));
    if (!summary) return fail("gate run", turns[i].name(), summary.error());
    print_progress(turns[i], i + 1, turns.size(), *summary);
    (turns[i].candidate ? candidate : baseline).push_back(std::move(*summary));
  }
  return report->write(judge(*policy, baseline, candidate));
}

}  // namespace

void add_gate_run_verb(CLI::App& gate, int& status) {
  auto arguments = std::make_shared<GateRunArguments>();
  CLI::App* verb = gate.add_subcommand("run", "Record both sides in turns, then judge them");
  const auto option = [verb](const char* names, std::string& value, const char* about,
                             const char* type) {
    return verb->add_option(names, value, about)->type_name(type);
  };
  option("--baseline-cmd", arguments->baseline_command, "before the change", "COMMAND")->required();
  option("--candidate-cmd", arguments->candidate_command, "with the change", "COMMAND")->required();
  verb->add_option("-n,--runs", arguments->runs, "of each command; three are the least for a time")
      ->check(CLI::Range(1, 100))
      ->capture_default_str()
      ->type_name("N");
  option("--level", arguments->profile.level, "of recording: light, standard, deep", "LEVEL")
      ->check(one_of({"light", "standard", "deep"}))
      ->capture_default_str();
  option("--start-after", arguments->profile.start_after, "record nothing before (200, 30s)", "N");
  option("--steps", arguments->profile.steps, "record so much (50, 10s)", "N");
  option("--keep", arguments->keep, "keep traces, reports and what the commands printed in DIR",
         "DIR");
  add_reading_options(*verb, arguments->read);
  add_gate_policy_options(*verb, arguments->policy);
  add_gate_report_options(*verb, arguments->report);
  verb->footer(kGateRunExamples);
  verb->callback([arguments, &status] { status = run_in_turns(*arguments); });
}

}  // namespace stepscope
