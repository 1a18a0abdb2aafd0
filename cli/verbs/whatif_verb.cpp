// SPDX-License-Identifier: Apache-2.0
// stepscope whatif TRACE: load, find the steps, attribute, replay with fixes, write.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/input/later_recording.hpp"
#include "cli/input/load_summary.hpp"
#include "cli/input/loaded_run.hpp"
#include "cli/output/failure.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_bar.hpp"
#include "cli/verbs/option_hints.hpp"
#include "cli/verbs/verbs.hpp"
#include "cli/verbs/whatif_question.hpp"
#include "core/findings/all_findings.hpp"
#include "core/simulate/edits/edit.hpp"
#include "core/simulate/whatif.hpp"
#include "core/support/duration.hpp"
#include "reports/json/json_documents.hpp"
#include "reports/text/text_pages.hpp"

namespace stepscope {
namespace {

constexpr const char* kWhatifExamples =
    "Examples:\n"
    "  stepscope whatif run.scope                    every fix that applies, the best first\n"
    "  stepscope whatif run.scope --apply-best 3     the best, then the best on top of it, ...\n"
    "  stepscope whatif run.scope --fix remove_sync@train.py:88\n"
    "  stepscope whatif run.scope --fix host_gap     what that finding of the report proposes\n"
    "  stepscope whatif run.scope --fix host_gap@train.py:88  the same, of the one at this line\n"
    "  stepscope whatif run.scope --fix pin_memory --fix prefetch_input      both together\n"
    "  stepscope whatif run.scope --fix scale_work@cause=gpu.gemm:factor=0.5:low=0.4:high=0.7\n"
    "  stepscope whatif run.scope --fix less_often@phase=eval:every=10\n"
    "  stepscope whatif slow.json.gz --plain-step 38.2ms    a trace that its profiler slowed\n"
    "The steps are replayed with the fix: host threads, launches, streams, waits and the queue of\n"
    "launches. The interval holds 90 %; 'at best' is what no luck undercuts. 'stepscope help "
    "whatif'\n"
    "tells how.\n"
    "Exit codes: 0 done; 2 usage, an unknown fix or place; 3 a trace that cannot be replayed, or "
    "whose\n"
    "replay is more than 4 % off (the table is printed all the same); 4 bad input.";

struct WhatifArguments {
  std::string trace;
  std::vector<std::string> fixes;
  std::size_t apply_best = 0;
  std::string format = "text";
  std::string output;
  std::string plain_step;
  ReadOptions read;
};

std::string fixes_help() {
  std::string out = "Fixes:\n";
  for (const EditRow& row : all_edits()) out += fmt::format("  {:<17} {}\n", row.name, row.about);
  return out +
         "Behind a fix: @FILE:LINE, @phase=NAME, @cause=NAME or @direction=recompute says where "
         "(without:\neverywhere in the step), :factor=F, :low=F, :high=F, :every=N and :workers=N "
         "how much. FIX+FIX is one "
         "repair of "
         "two.\n\n";
}

Result<LoadedRun> read_trace(const WhatifArguments& arguments, const SimulatorOptions& replay) {
  if (is_report_document(arguments.trace))
    return usage_error("is a report's document, which holds no events; give the trace");
  ProgressBar bar("reading " + arguments.trace, stderr_is_terminal());
  note_later_recordings("whatif", {arguments.trace});
  ReadOptions options = arguments.read;
  options.summary.plain_step_ns = replay.plain_step_ns;
  return load_run(arguments.trace, options, bar.callback());
}

Result<SimulatorOptions> simulator_options(const WhatifArguments& arguments) {
  SimulatorOptions out;
  if (arguments.plain_step.empty()) return out;
  const auto plain = parse_duration(arguments.plain_step);
  if (!plain) return usage_error("--plain-step: " + plain.error().message);
  out.plain_step_ns = *plain;
  return out;
}

// Returns nothing for a program that was no rank of a job.
std::optional<std::string> note_on_ranks(const LoadedRun& run) {
  const Process& process = run.trace.data().processes[run.steps.process];
  if (process.world_size < 2) return std::nullopt;
  return fmt::format(
      "these are rank {}'s steps, one of {} ranks: what it waits for the others stays as it was. "
      "'stepscope report' says who makes the others wait and what all gain without that; --rank N "
      "replays another rank",
      process.rank, process.world_size);
}

Result<WhatIf> ask(const WhatifArguments& arguments, const LoadedRun& run,
                   const SimulatorOptions& options) {
  // A plain step that the trace does not allow is an error here, where it is what was asked for.
  const auto simulator =
      options.plain_step_ns
          ? Simulator::build(run.trace, run.steps, run.attribution, run.summary.counted, options)
          : simulator_of(run.trace, run.steps, run.attribution, run.summary);
  if (!simulator) return simulator.error();
  const Findings findings =
      find_all_replayed(run.trace, run.steps, run.attribution, run.summary, simulator);
  auto out = ask_whatif({arguments.fixes, arguments.apply_best}, run, findings, *simulator);
  if (!out) return out;
  out->is_plain_step = options.plain_step_ns || run.summary.partition.corrected_step_ns;
  if (const auto note = note_on_ranks(run)) out->notes.push_back(*note);
  return out;
}

int run_whatif(const WhatifArguments& arguments) {
  const auto options = simulator_options(arguments);
  if (!options) return fail("whatif", "", options.error());
  const Status read_checked = check_read_options(arguments.read);
  if (!read_checked) return fail("whatif", "", read_checked.error());
  auto output = Output::open(arguments.output, {&arguments.trace, 1});
  if (!output) return fail("whatif", arguments.output, output.error());
  const auto run = read_trace(arguments, *options);
  if (!run) return fail("whatif", arguments.trace, run.error());
  const auto whatif = ask(arguments, *run, *options);
  if (!whatif)
    return fail("whatif", whatif.error().code == ErrorCode::usage ? "" : arguments.trace,
                whatif.error());
  const Style style = style_for(output->is_stdout() && stdout_is_terminal());
  const Status written = output->finish(arguments.format == "json" ? json_whatif(*whatif)
                                                                   : text_whatif(*whatif, style));
  if (!written) return fail("whatif", "", written.error());
  output->say_written();
  if (whatif->abstained.empty()) return kExitPass;
  return fail("whatif", arguments.trace, {ErrorCode::inconclusive, whatif->abstained});
}

}  // namespace

void add_whatif_verb(CLI::App& app, int& status) {
  auto arguments = std::make_shared<WhatifArguments>();
  CLI::App* verb =
      app.add_subcommand("whatif", "What a step would take with a fix, by replaying the trace");
  verb->add_option("TRACE", arguments->trace, "A recorded run, as 'stepscope report' reads it")
      ->required();
  const auto option = [verb](const char* names, std::string& value, const char* about,
                             const char* type) {
    verb->add_option(names, value, about)->type_name(type);
  };
  verb->add_option("--fix", arguments->fixes, "try this fix; several are tried alone and together")
      ->type_name("FIX")
      ->type_size(1)
      ->allow_extra_args(false);
  verb->add_option("--apply-best", arguments->apply_best,
                   "the path of the N best, each on top of the ones before")
      ->check(CLI::Range(1, 20))
      ->type_name("N");
  add_output_options(*verb, {"text", "json"}, arguments->format, arguments->output);
  option("--plain-step", arguments->plain_step, "step time without a profiler, like 38.2ms",
         "TIME");
  add_reading_options(*verb, arguments->read);
  add_process_options(*verb, arguments->read);
  verb->footer(fixes_help() + kWhatifExamples);
  verb->callback([arguments, &status] { status = run_whatif(*arguments); });
}

}  // namespace stepscope
