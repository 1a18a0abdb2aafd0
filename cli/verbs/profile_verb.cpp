// SPDX-License-Identifier: Apache-2.0
// stepscope profile [options] -- COMMAND...: the work is collectors/launcher's.
#include "cli/input/job_traces.hpp"
#include "cli/verbs/option_hints.hpp"
#include "cli/verbs/verbs.hpp"
#include "collectors/launcher/profile.hpp"

namespace stepscope {
namespace {

constexpr const char* kProfileExamples =
    "Examples:\n"
    "  stepscope profile -- python train.py --epochs 1\n"
    "  stepscope profile -o run1 -- ./train               writes run1.scope (run1.2.scope where "
    "that exists)\n"
    "  stepscope profile --start-after 200 --steps 50 -- python train.py     50 steps of a long "
    "run\n"
    "  stepscope profile --window 20/20 -- python train.py                   and what watching "
    "cost\n"
    "  stepscope profile --only '^train.py$' -- torchrun --nproc-per-node 2 train.py\n"
    "Steps are counted by Optimizer.step, ProfilerStep# and ranges named like \"step 12\".\n"
    "The command runs to its end and its exit status is passed on. Messages go to stderr.\n"
    "Where nothing can be written, a warning says so and the command runs unprofiled.";

// A command does not begin with '-': what stands in its place is an option that nothing knows.
void reject_unknown_option(const CLI::App& verb, std::string_view word) {
  const std::string text = unknown_option_text(verb, word);
  if (!text.empty()) throw CLI::ExtrasError(text, CLI::ExitCodes::ExtrasError);
}

}  // namespace

void add_profile_verb(CLI::App& app, int& status) {
  CLI::App* verb = app.add_subcommand("profile", "Run a command and record where its time goes");
  auto options = std::make_shared<ProfileOptions>();
  verb->add_option("-o,--output", options->output,
                   "NAME of the folder NAME.scope; else from command and time");
  verb->add_flag("--overwrite", options->overwrite,
                 "Replace an earlier recording NAME.scope, once this one holds something; without "
                 "it, NAME.2.scope is written");
  verb->add_option("--level", options->level,
                   "light (no call sites), standard, deep (all ops, CUDA calls and allocations, "
                   "compilation)")
      ->check(one_of({"light", "standard", "deep"}))
      ->capture_default_str();
  verb->add_flag("--ops", options->ops,
                 "Record every PyTorch op also on a GPU (+10-15 % on tiny ops)");
  verb->add_flag(
      "!--no-sampling", options->sampling,
      "Do not look every 2 ms where threads are that record nothing: silence then has no "
      "line, and collections and DataLoader workers are not told");
  verb->add_flag("--pm-sampling", options->pm_sampling,
                 "Sample hardware counters (SMs, tensor cores, DRAM) each millisecond; the GPU's "
                 "clocks are held meanwhile, and the driver may ask for administrator's rights");
  verb->add_flag("--native-lines", options->native_lines,
                 "Source lines of a program in C++ (or another compiled language): its stack is "
                 "unwound where there is no Python; build it with -g");
  verb->add_option("--lines-in", options->lines_in,
                   "PACKAGE[,PACKAGE]: lines inside these installed packages count as yours, for a "
                   "loop that a library runs (transformers)");
  verb->add_flag("!--no-source-text", options->source_text,
                 "Do not keep the text of the recorded lines; diff and gate then pair the lines of "
                 "an edited file by their work alone");
  verb->add_option("--graphs", options->graphs,
                   "CUDA graphs: nodes (each kernel and copy inside; the default), or whole (one "
                   "row a launch)")
      ->check(one_of({"nodes", "whole"}));
  verb->add_option(
      "--only", options->only,
      "REGEX: record only processes whose program, or script of an interpreter, matches");
  CaptureOptions& capture = options->capture;
  verb->add_option("--start-after", capture.start_after,
                   "Record nothing before so many steps (200) or so much time (30s)");
  verb->add_option(
      "--steps", capture.steps,
      "Record so many steps (50) or so much time (10s); the command goes on to its end");
  verb->add_option("--window", capture.window,
                   "ON/OFF: record ON steps, leave OFF steps alone, and so on (20/20); the report "
                   "then knows what the recording cost. The first 20 steps are left alone, or as "
                   "many as --start-after says: they tell what the profiler leaves on a step while "
                   "it is off");
  verb->add_option("--capture-range", capture.range,
                   "Record only inside ranges of this name (NVTX or record_function), or between "
                   "cudaProfilerStart and Stop: cudaProfilerApi");
  verb->add_option("--capture-signal", capture.signal,
                   "Record from this signal (USR2) to the next: kill -USR2 PID");
  verb->prefix_command();
  show_in_usage(*verb, "-- COMMAND [ARGUMENT...]");
  verb->footer(kProfileExamples);
  verb->callback([verb, options, &status] {
    options->command = verb->remaining();
    if (options->command.empty()) throw CLI::RequiredError("COMMAND");
    reject_unknown_option(*verb, options->command.front());
    status = run_profile(*options, summarize_ranks);
  });
}

}  // namespace stepscope
