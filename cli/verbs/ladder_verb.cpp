// SPDX-License-Identifier: Apache-2.0
// stepscope ladder MODEL: what each rung of a reference trainer brings, measured in turns and
// explained by the profiler.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "cli/output/failure.hpp"
#include "cli/output/output.hpp"
#include "cli/programs/ladder_plans.hpp"
#include "cli/programs/trainer_program.hpp"
#include "cli/verbs/option_hints.hpp"
#include "cli/verbs/verbs.hpp"
#include "reports/html/html_pages.hpp"
#include "reports/json/json_documents.hpp"
#include "reports/svg/charts.hpp"
#include "reports/text/text_pages.hpp"

namespace stepscope {
namespace {

constexpr const char* kLadderExamples =
    "Examples:\n"
    "  stepscope ladder llm                                 every rung, on the CPU with preset "
    "tiny\n"
    "  stepscope ladder token_pipeline                      every fix of another trainer\n"
    "  stepscope ladder llm --preset t90m --rungs R0..R5 --steps 12 -o ladder.html --format html\n"
    "  stepscope ladder llm --rungs R4,R5 --repeats 7       two rungs against each other\n"
    "  stepscope ladder llm --shapley packed,fused_adamw,prefetch    what each brings whatever the "
    "order\n"
    "  stepscope ladder llm --rungs R6e,R7 --micro-batches 1,2,4,8   where a rung pays\n"
    "Each rung is a run of 'stepscope train MODEL --rung RUNG', which has all rungs below it "
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
  std::string shapley;
  std::vector<std::int64_t> micro_batches;
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

// What a ladder's runs are made into, in the format that was asked for.
struct LadderReport {
  std::string text;
  bool any_ran = false, same_losses = true;
};

template <class Study, class Text, class Json, class Html, class Svg>
std::string in_format(const std::string& format, const Study& study, const Style& style, Text text,
                      Json json, Html html, Svg svg) {
  if (format == "json") return json(study);
  if (format == "html") return html(study);
  if (format == "svg") return svg(study);
  return text(study, style);
}

using ReportOf = std::function<LadderReport(const LadderRuns& runs, const std::string& note,
                                            const Style& style)>;

// The runs of a plan, and what is made of them.
struct LadderStudy {
  std::vector<PlannedRun> runs;
  ReportOf report;
};

void put_first(std::vector<std::string>& notes, const std::string& note) {
  if (!note.empty()) notes.insert(notes.begin(), note);
}

LadderStudy study_of_rungs(const LadderArguments& arguments, const std::string& model,
                           const std::vector<RungName>& rungs) {
  return {runs_of_rungs(rungs),
          [&arguments, model](const LadderRuns& runs, const std::string& note,
                              const Style& style) -> LadderReport {
            Ladder ladder = make_ladder(model, runs.rungs, arguments.options);
            put_first(ladder.notes, note);
            return {in_format(arguments.format, ladder, style, text_ladder, json_ladder,
                              html_ladder, svg_ladder),
                    ladder.repeats > 0, ladder.same_losses()};
          }};
}

LadderStudy study_of_orders(const LadderArguments& arguments, const std::string& model,
                            const OrdersPlan& plan) {
  return {runs_of(plan),
          [&arguments, model, plan](const LadderRuns& runs, const std::string& note,
                                    const Style& style) -> LadderReport {
            RungOrders orders =
                make_orders(model, plan.base, plan.rungs, runs.rungs, arguments.options);
            put_first(orders.subsets.notes, note);
            return {in_format(arguments.format, orders, style, text_orders, json_orders,
                              html_orders, svg_orders),
                    orders.subsets.repeats > 0, orders.subsets.same_losses()};
          }};
}

LadderStudy study_of_sweep(const LadderArguments& arguments, const std::string& model,
                           const std::vector<RungName>& rungs) {
  return {
      runs_of_sweep(rungs, arguments.micro_batches),
      [&arguments, model, rungs](const LadderRuns& runs, const std::string& note,
                                 const Style& style) -> LadderReport {
        LadderSweep sweep = make_sweep(
            model, by_micro_batch(rungs, arguments.micro_batches, runs.rungs), arguments.options);
        put_first(sweep.notes, note);
        const auto ran = [](const SweepPoint& point) { return point.ladder.repeats > 0; };
        return {in_format(arguments.format, sweep, style, text_sweep, json_sweep, html_sweep,
                          svg_sweep),
                std::any_of(sweep.points.begin(), sweep.points.end(), ran), sweep.same_losses()};
      }};
}

Result<LadderStudy> study_of(const LadderArguments& arguments, const TrainerFacts& facts) {
  if (!arguments.shapley.empty()) {
    const auto plan = plan_orders(facts.rungs, arguments.shapley, arguments.rungs);
    if (!plan) return plan.error();
    return study_of_orders(arguments, facts.model, *plan);
  }
  const auto rungs = choose_rungs(facts.rungs, arguments.rungs);
  if (!rungs) return rungs.error();
  if (arguments.micro_batches.empty()) return study_of_rungs(arguments, facts.model, *rungs);
  return study_of_sweep(arguments, facts.model, *rungs);
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
  const Result<LadderStudy> study = study_of(arguments, *facts);
  if (!study) return fail("ladder", "", study.error());

  LadderPlan& plan = arguments.plan;
  plan.program = program;
  plan.arguments = trainer_arguments(arguments);
  plan.runs = study->runs;
  plan.profiles =
      !arguments.no_profile && arguments.shapley.empty() && arguments.micro_batches.empty();
  plan.resume = !arguments.resume.empty();
  if (const Status claimed = claim_folder(plan, *folder); !claimed)
    return fail("ladder", "", claimed.error());
  const auto report_progress = [](const std::string& line) { say("stepscope ladder: {}\n", line); };
  const LadderRuns runs = run_ladder(plan, *folder, report_progress);
  const std::string note = runs.interrupted ? interrupted_note(*folder, kept) : "";
  if (!note.empty()) report_progress(note);
  const LadderReport report =
      study->report(runs, note, style_for(output->is_stdout() && stdout_is_terminal()));
  const Status written = output->finish(report.text);
  if (!written) return fail("ladder", arguments.output, written.error());
  output->say_written();
  if (!report.any_ran)
    return fail("ladder", "", bad_input("no rung ran; what each said stands above"));
  if (!report.same_losses) return kExitRegression;
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
  word("--preset", arguments.preset, "the trainer's sizes: tiny (default), t90m, h100, ...",
       "NAME");
  count("--steps", arguments.steps, "steps of each run, those of the warm-up among them");
  count("--warm-up", arguments.plan.warm_up, "first steps that are not counted")
      ->capture_default_str();
  CLI::Option* one =
      count("--micro-batch", arguments.micro_batch, "sequences or samples in memory at once");
  verb.add_option(
          "--micro-batches", arguments.micro_batches,
          "the rungs at each of these: where a rung pays, and where no longer (no profiles)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000))
      ->excludes(one)
      ->type_name("N,N,...");
  count("--accumulate", arguments.accumulate, "micro-batches a step");
  word("--device", arguments.device, "auto, cpu or cuda", "WHERE");
  word("--data", arguments.data, "what the trainer's --data takes", "PATH");
  word("--args", arguments.more, "more of the trainer's options, in one word", "TEXT");
}

}  // namespace

void add_ladder_verb(CLI::App& app, int& status) {
  auto arguments = std::make_shared<LadderArguments>();
  const std::vector<std::string_view> names = trainer_names();
  const std::vector<std::string> models(names.begin(), names.end());
  CLI::App* verb =
      app.add_subcommand("ladder", "What each rung of a trainer brings, measured and explained");
  verb->add_option("model", arguments->model, fmt::format("{}", fmt::join(models, ", ")))
      ->required()
      ->check(one_of(models))
      ->type_name("MODEL");
  verb->add_option("--rungs", arguments->rungs, "R0..R5 or R0,R3b,R5; the default is all")
      ->type_name("RUNGS");
  verb->add_option("-n,--repeats", arguments->plan.repeats, "of each rung, in turns")
      ->check(CLI::Range(1, 100))
      ->capture_default_str()
      ->type_name("N");
  add_ladder_sizes(*verb, *arguments);
  verb->add_option("--shapley", arguments->shapley,
                   "what each of 2 to 6 rungs brings whatever the order: every subset of them is "
                   "run on the rung below the first, or on the one of --rungs (no profiles)")
      ->excludes("--micro-batches")
      ->type_name("RUNGS");
  verb->add_flag("--no-profile", arguments->no_profile, "measure only: what changed is not said");
  verb->add_option("--level", arguments->plan.level, "of recording: light, standard, deep")
      ->check(one_of({"light", "standard", "deep"}))
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
  add_output_options(*verb, {"text", "json", "html", "svg"}, arguments->format, arguments->output);
  verb->footer(kLadderExamples);
  verb->callback([arguments, &status] { status = measure_ladder(*arguments); });
}

}  // namespace stepscope
