// SPDX-License-Identifier: Apache-2.0
// stepscope ladder MODEL: what each rung of a reference trainer brings, measured in turns and
// explained by the profiler.
#include <fmt/format.h>

#include <memory>

#include "cli/output/failure.hpp"
#include "cli/output/output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/programs/ladder_run.hpp"
#include "cli/programs/trainer_program.hpp"
#include "cli/verbs/verbs.hpp"
#include "reports/html/html_ladder.hpp"
#include "reports/json/json_ladder.hpp"
#include "reports/svg/ladder_chart.hpp"
#include "reports/text/text_ladder.hpp"

namespace stepscope {
namespace {

constexpr const char* kLadderExamples =
    "Examples:\n"
    "  stepscope ladder llm                                 every rung, on the CPU with preset "
    "tiny\n"
    "  stepscope ladder llm --preset t90m --rungs R0..R5 --steps 12 -o ladder.html --format html\n"
    "  stepscope ladder llm --rungs R4,R5 --repeats 7       two rungs against each other\n"
    "Each rung is a run of 'stepscope train llm --rung RUNG', which has all rungs below it "
    "switched\n"
    "on. A rung's gain is the ratio of paired repeats with its 95 % interval; where that holds 1\n"
    "and is narrow, the rung is kept as a measured null. One more run of each is profiled: what "
    "the\n"
    "rung changed in the step sums exactly. Ctrl-C ends it with what was measured (exit code 3).\n"
    "Exit code 1: a rung's losses are not the first rung's.";

struct LadderArguments {
  std::string model;
  std::string rungs;
  std::string preset;
  std::string device, data, more;
  std::uint32_t steps = 0, micro_batch = 0, accumulate = 0;  // 0: the preset's
  std::string format = "text", output, keep, resume;
  bool no_profile = false;
  LadderPlan plan;
  LadderOptions options;
};

std::string trainer_arguments(const LadderArguments& arguments) {
  std::string out;
  const auto add = [&out](const char* name, const std::string& value) {
    if (!value.empty()) out += fmt::format(" {} {}", name, quoted_for_shell(value));
  };
  const auto add_count = [&out](const char* name, std::uint32_t count) {
    if (count > 0) out += fmt::format(" {} {}", name, count);
  };
  add("--preset", arguments.preset);
  add("--device", arguments.device);
  add("--data", arguments.data);
  add_count("--steps", arguments.steps);
  add_count("--micro-batch", arguments.micro_batch);
  add_count("--accumulate", arguments.accumulate);
  out += fmt::format(" --warm-up {}", arguments.plan.warm_up);
  return arguments.more.empty() ? out : out + " " + arguments.more;
}

std::string ladder_as(const std::string& format, const Ladder& ladder, bool to_terminal) {
  if (format == "json") return json_ladder(ladder);
  if (format == "html") return html_ladder(ladder);
  if (format == "svg") return svg_ladder(ladder);
  return text_ladder(ladder, style_for(to_terminal));
}

std::string interrupted_note(const WorkFolder& folder, const std::string& kept) {
  const std::string go_on = folder.kept() ? fmt::format("--resume {} goes on", kept)
                                          : "--keep DIR lets --resume DIR go on";
  return "interrupted: not all repeats and profiles were made; " + go_on;
}

int measure_ladder(LadderArguments& arguments) {
  const std::string program = trainer_program(arguments.model).string();
  if (program.empty()) return fail("ladder", "", trainer_missing(arguments.model));
  auto output = Output::open(arguments.output);
  if (!output) return fail("ladder", arguments.output, output.error());
  const std::string kept = arguments.resume.empty() ? arguments.keep : arguments.resume;
  const Result<WorkFolder> folder = WorkFolder::make(kept, "stepscope-ladder");
  if (!folder) return fail("ladder", "", folder.error());
  const Result<TrainerFacts> facts = ask_trainer(program, *folder);
  if (!facts) return fail("ladder", program, facts.error());
  const auto rungs = choose_rungs(facts->rungs, arguments.rungs);
  if (!rungs) return fail("ladder", "", rungs.error());

  LadderPlan& plan = arguments.plan;
  plan.program = program;
  plan.arguments = trainer_arguments(arguments);
  plan.rungs = *rungs;
  plan.profiles = !arguments.no_profile;
  plan.resume = !arguments.resume.empty();
  if (const Status claimed = claim_folder(plan, *folder); !claimed)
    return fail("ladder", "", claimed.error());
  const auto tell = [](const std::string& line) { say("stepscope ladder: {}\n", line); };
  const LadderRuns runs = run_ladder(plan, *folder, tell);
  Ladder ladder = make_ladder(facts->model, runs.rungs, arguments.options);
  if (runs.interrupted) {
    ladder.notes.insert(ladder.notes.begin(), interrupted_note(*folder, kept));
    tell(ladder.notes.front());
  }
  const Status written = output->finish(
      ladder_as(arguments.format, ladder, output->is_stdout() && stdout_is_terminal()));
  if (!written) return fail("ladder", arguments.output, written.error());
  if (ladder.repeats == 0)
    return fail("ladder", "", bad_input("no rung ran; what each said stands above"));
  if (!ladder.same_losses()) return kExitRegression;
  return runs.interrupted ? kExitInconclusive : kExitPass;
}

void add_ladder_sizes(CLI::App& verb, LadderArguments& arguments) {
  const auto count = [&verb](const char* name, std::uint32_t& value, const char* about) {
    return verb.add_option(name, value, about)->check(CLI::Range(1, 1'000'000))->type_name("N");
  };
  const auto word = [&verb](const char* name, std::string& value, const char* about,
                            const char* type) {
    verb.add_option(name, value, about)->type_name(type);
  };
  word("--preset", arguments.preset, "the trainer's sizes: tiny (default), t90m, ...", "NAME");
  count("--steps", arguments.steps, "steps of each run, those of the warm-up among them");
  count("--warm-up", arguments.plan.warm_up, "first steps that are not counted")
      ->capture_default_str();
  count("--micro-batch", arguments.micro_batch, "sequences in memory at once");
  count("--accumulate", arguments.accumulate, "micro-batches a step");
  word("--device", arguments.device, "auto, cpu or cuda", "WHERE");
  word("--data", arguments.data, "token shards", "PATH");
  word("--args", arguments.more, "more of the trainer's options, in one word", "TEXT");
}

}  // namespace

void add_ladder_verb(CLI::App& app, int& status) {
  auto arguments = std::make_shared<LadderArguments>();
  CLI::App* verb =
      app.add_subcommand("ladder", "What each rung of a trainer brings, measured and explained");
  verb->add_option("model", arguments->model, "llm")
      ->required()
      ->check(CLI::IsMember({"llm"}))
      ->type_name("MODEL");
  verb->add_option("--rungs", arguments->rungs, "R0..R5 or R0,R3b,R5; the default is all")
      ->type_name("RUNGS");
  verb->add_option("-n,--repeats", arguments->plan.repeats, "of each rung, in turns")
      ->check(CLI::Range(1, 100))
      ->capture_default_str()
      ->type_name("N");
  add_ladder_sizes(*verb, *arguments);
  verb->add_flag("--no-profile", arguments->no_profile, "measure only: what changed is not said");
  verb->add_option("--level", arguments->plan.level, "of recording: light, standard, deep")
      ->check(CLI::IsMember({"light", "standard", "deep"}))
      ->capture_default_str()
      ->type_name("LEVEL");
  verb->add_option("--loss-tolerance", arguments->options.loss_tolerance,
                   "how far a step's loss may lie from the first rung's, of it")
      ->check(finite() & CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->type_name("SHARE");
  verb->add_option("--keep", arguments->keep, "keep traces and what the runs printed in DIR")
      ->type_name("DIR");
  verb->add_option("--resume", arguments->resume,
                   "go on from the runs that an interrupted ladder kept in DIR")
      ->excludes("--keep")
      ->type_name("DIR");
  verb->add_option("--format", arguments->format, "the default is text")
      ->check(CLI::IsMember({"text", "json", "html", "svg"}))
      ->type_name("FORMAT");
  verb->add_option("-o,--output", arguments->output, "write to FILE, whole or not at all")
      ->type_name("FILE");
  verb->footer(kLadderExamples);
  verb->callback([arguments, &status] { status = measure_ladder(*arguments); });
}

}  // namespace stepscope
