// SPDX-License-Identifier: Apache-2.0
// stepscope report TRACE...: load, find the steps, attribute, sum, write.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "cli/input/job_traces.hpp"
#include "cli/input/later_recording.hpp"
#include "cli/input/load_summary.hpp"
#include "cli/input/loaded_run.hpp"
#include "cli/mpi/process_group.hpp"
#include "cli/output/failure.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_bar.hpp"
#include "cli/output/whole_file.hpp"
#include "cli/verbs/option_hints.hpp"
#include "cli/verbs/pages.hpp"
#include "cli/verbs/verbs.hpp"
#include "core/model/losses.hpp"
#include "core/summary/summary.hpp"
#include "core/support/duration.hpp"
#include "core/support/name_pattern.hpp"
#include "reports/github/github_commands.hpp"
#include "reports/html/html_pages.hpp"
#include "reports/json/json_documents.hpp"
#include "reports/markdown/markdown_pages.hpp"
#include "reports/sarif/sarif_logs.hpp"
#include "reports/text/text_pages.hpp"

namespace stepscope {
namespace {

constexpr const char* kReportExamples =
    "Examples:\n"
    "  stepscope report trace.json.gz\n"
    "  stepscope report run.scope -o report.json\n"
    "  stepscope report run.scope -o report.html   a page to look at and to pass on\n"
    "  stepscope report run.scope --format markdown >> \"$GITHUB_STEP_SUMMARY\"\n"
    "  stepscope report run.scope --github --sarif findings.sarif   findings at their lines, for "
    "CI\n"
    "  stepscope report slow.json.gz --plain-step 38.2ms   step time without the profiler, "
    "measured\n"
    "                                                      by you: corrects a slowed trace's "
    "verdict\n"
    "  stepscope report run.scope --flops-per-step 2.6e13   MFU, of FLOPs that you know\n"
    "  stepscope report run.scope --step-marker '^train_step$' --phase '^(data|loss|topk)$'\n"
    "  stepscope report run.scope --steps 128:255   one model of a sweep, one stage of a run\n"
    "  stepscope report run.scope --without-long-steps     the usual step; by default every step "
    "after\n"
    "                                                      warm-up counts, however long\n"
    "  stepscope report run.scope --section 2  of a run that trains, then evaluates, the second "
    "loop\n"
    "  stepscope report job.scope              of a run of several ranks: who made all of them "
    "wait,\n"
    "                                          and why\n"
    "  stepscope report job.scope --rank 3     one rank of it alone\n"
    "  mpirun -n 8 stepscope report job.scope  its ranks are read by 8 processes, also on several\n"
    "                                          hosts; the first one alone prints\n"
    "  stepscope report rank*.json.gz          the same of a file a rank, or of the folder that "
    "holds\n"
    "                                          them, as torch.profiler and nsys write them\n"
    "  stepscope report run.sqlite     of Nsight Systems: nsys export --type sqlite run.nsys-rep\n"
    "A TRACE is a .scope folder written by 'stepscope profile', a PyTorch profiler file (.json,\n"
    ".json.gz) or an SQLite export of Nsight Systems; its content decides which. Without\n"
    "steps the report covers the whole trace; the exit code is 3 where nothing of it counts.";

struct ReportArguments {
  std::vector<std::string> traces;
  std::string format = "text";
  std::string output;
  std::string sarif;  // a file besides
  bool github = false;
  std::string plain_step;
  ReadOptions read;
  bool summarize_ranks = false;
  bool under_mpirun = false;
  bool without_source = false;
  bool without_long_steps = false;
  std::string only_steps;
  double flops_per_step = 0;
  double peak_tflops = 0;
};

// Reads "128:255".
Result<StepRange> step_range(const std::string& text) {
  const auto wrong = [&text] {
    return usage_error("--steps: '" + text +
                       "' is not A:B, two numbers of steps as the report names them, like 128:255");
  };
  StepRange out;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, out.first);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != ':') return wrong();
  const auto last = std::from_chars(first.ptr + 1, end, out.last);
  if (last.ec != std::errc{} || last.ptr != end || out.last < out.first) return wrong();
  return out;
}

Status check_only_steps(const std::optional<StepRange>& wanted, const std::vector<Summary>& read) {
  if (!wanted) return Done{};
  for (const Summary& summary : read) {
    if (summary.job)
      return usage_error(
          "--steps: a job's steps are those of all its ranks; give --rank N as well");
    if (summary.counted.empty() && !summary.steps.list.empty())
      return usage_error(fmt::format(
          "--steps {}:{}: none of these steps counts; the run has {} to {}", wanted->first,
          wanted->last, summary.steps.list.front().id, summary.steps.list.back().id));
  }
  return Done{};
}

Result<ReadOptions> read_options(const ReportArguments& arguments) {
  ReadOptions out = arguments.read;
  out.find = true;
  out.all_apply = true;
  const Status checked = check_read_options(out);
  if (!checked) return checked.error();
  SummaryOptions& summary = out.summary;
  summary.without_long_steps = arguments.without_long_steps;
  if (!arguments.only_steps.empty()) {
    const auto range = step_range(arguments.only_steps);
    if (!range) return range.error();
    summary.only_steps = *range;
  }
  if (arguments.flops_per_step > 0) summary.flops = FlopOptions{arguments.flops_per_step, {}};
  if (arguments.peak_tflops > 0) summary.flops->peak_tflops = arguments.peak_tflops;
  if (arguments.plain_step.empty()) return out;
  const auto plain = parse_duration(arguments.plain_step);
  if (!plain) return usage_error("--plain-step: " + plain.error().message);
  summary.plain_step_ns = *plain;
  return out;
}

std::string text_of(const std::vector<Summary>& summaries, const Style& style) {
  std::string out;
  for (const Summary& summary : summaries) {
    if (!out.empty()) out += "\n" + std::string(100, '=') + "\n\n";
    out += text_report(summary, style);
  }
  return out;
}

// mpirun gives its processes a terminal of its own, whatever its own output is.
bool is_for_terminal(const ReportArguments& arguments, const Output& output) {
  return output.is_stdout() && stdout_is_terminal() && !arguments.under_mpirun;
}

std::string document(const ReportArguments& arguments, const std::vector<Summary>& summaries,
                     const Output& output) {
  if (arguments.format == "text")
    return text_of(summaries, style_for(is_for_terminal(arguments, output)));
  if (arguments.format == "html") {
    return html_report(summaries, {.with_source = !arguments.without_source});
  }
  if (arguments.format == "markdown") return markdown_report(summaries);
  if (arguments.format == "sarif")
    return sarif_findings(summaries, finding_rules(), repository_root());
  if (arguments.format == "github") return github_findings(summaries, repository_root());
  return summaries.size() == 1 ? json_report(summaries.front()) : json_reports(summaries);
}

std::string why_no_steps(const Summary& summary) {
  const std::string& nothing = summary.trust.nothing_recorded;
  if (!nothing.empty()) return fmt::format("no steps found: {}{}", kNothingRecorded, nothing);
  return "no steps found, so the report covers the whole trace; name the loop's range or op with "
         "--step-marker REGEX";
}

// Said on stderr, so that a script that reads the JSON sees it too. A program without a loop is
// reported whole, which is no error; a trace in which no time counts is inconclusive.
int status_of(const std::vector<Summary>& summaries) {
  int status = kExitPass;
  for (const Summary& summary : summaries) {
    if (summary.steps.found_by != FoundBy::whole_trace && summary.partition.steps_counted > 0)
      continue;
    const int said =
        fail("report", summary.run.path, {ErrorCode::inconclusive, why_no_steps(summary)});
    const bool whole =
        summary.partition.steps_counted > 0 && summary.trust.nothing_recorded.empty();
    if (!whole) status = said;
  }
  return status;
}

// Returns the annotations, which go to stdout behind the report, where that goes there.
std::string annotations(const ReportArguments& arguments, const std::vector<Summary>& summaries,
                        const Output& output) {
  if (!arguments.github || arguments.format == "github" || !output.is_stdout()) return "";
  return github_findings(summaries, repository_root());
}

// An option that changed nothing is more likely a slip than meant.
void note_options_without_effect(const ReadOptions& options, const std::string& path,
                                 const Summary& summary) {
  const auto pattern = NamePattern::compile("--phase", options.phase);
  const bool matches =
      pattern && std::any_of(summary.phases.begin(), summary.phases.end(),
                             [&](const PhaseRow& row) { return pattern->is_in(row.name); });
  if (!options.phase.empty() && !matches)
    say("stepscope report: {}: --phase '{}' matches no range of the counted steps\n", path,
        options.phase);
  if (options.summary.plain_step_ns && !summary.partition.plain_step_ns)
    say("stepscope report: {}: --plain-step changes nothing here: it corrects the verdict on steps "
        "in which a device worked\n",
        path);
}

bool has_no_such_process(const ReadOptions& options, const Error& error) {
  return options.names_process() && error.code == ErrorCode::usage &&
         (error.message.starts_with("--rank") || error.message.starts_with("--process"));
}

bool is_given(const std::vector<std::string>& given, const std::string& path) {
  return std::find(given.begin(), given.end(), path) != given.end();
}

// Each file gives a report. --rank and --process choose among several files those that hold it. A file
// that nobody named, but the folder that it is in, is left out if it is no trace.
Result<std::vector<Summary>> summary_of_each(const std::vector<std::string>& paths,
                                             const std::vector<std::string>& given,
                                             const ReadOptions& options, std::string& failed) {
  std::vector<Summary> out;
  std::optional<Error> no_rank;
  for (const std::string& path : paths) {
    auto summary = load_summary(path, options);
    if (!summary) {
      if (!no_rank) failed = path;
      no_rank = summary.error();
      if (has_no_such_process(options, *no_rank)) continue;
      if (paths.size() == 1 || is_given(given, path)) return *no_rank;
      (void)fail("report", path, *no_rank);
      say("stepscope report: {} is left out\n", path);
      continue;
    }
    note_options_without_effect(options, path, *summary);
    out.push_back(std::move(*summary));
  }
  if (out.empty()) return *no_rank;
  return out;
}

// Says why several files with collectives are not read as one job: a file that names no rank cannot be told
// from a run of its own.
std::string why_ranks_are_apart(const std::vector<Summary>& each) {
  const auto names_rank = [](const Summary& s) { return s.run.rank >= 0; };
  const auto communicates = [](const Summary& s) {
    return std::any_of(s.kernels.begin(), s.kernels.end(),
                       [](const KernelRow& row) { return row.cause == Cause::comm_transfer; });
  };
  if (each.size() < 2 || std::any_of(each.begin(), each.end(), names_rank) ||
      std::none_of(each.begin(), each.end(), communicates)) {
    return "";
  }
  return "this is no report of a job: none of the files names its rank (torch.profiler writes "
         "distributedInfo where a process group is there as the profiler starts)";
}

// Files that are the ranks of one job give one report. `failed` is the file of an error.
Result<std::vector<Summary>> summaries_of(const std::vector<std::string>& paths,
                                          const std::vector<std::string>& given,
                                          const ReadOptions& options, std::string& failed) {
  std::string why_no_job;
  if (may_be_files_of_job(paths, options)) {
    ProgressBar bar(fmt::format("reading {} traces", paths.size()), stderr_is_terminal());
    auto job = job_of_files(paths, options, bar.callback(), why_no_job);
    if (!job) return job.error();
    if (*job) {
      note_options_without_effect(options, paths.front(), **job);
      return std::vector<Summary>{std::move(**job)};
    }
  }
  auto each = summary_of_each(paths, given, options, failed);
  if (each && why_no_job.empty()) why_no_job = why_ranks_are_apart(*each);
  if (each && !why_no_job.empty()) {
    std::vector<std::string>& notes = each->front().steps.notes;
    notes.insert(notes.begin(), why_no_job);
  }
  return each;
}

// The report is the same without them.
void keep_summaries(const std::vector<std::string>& traces) {
  for (const std::string& trace : traces)
    if (const Status kept = summarize_ranks(trace); !kept)
      say("stepscope report: {}: the ranks' summaries were not written: {}\n", trace,
          kept.error().message);
}

int run_report(ReportArguments& arguments) {
  auto options = read_options(arguments);
  if (!options) return fail("report", "", options.error());
  const auto group = ProcessGroup::join();
  if (group && !group->is_first()) {
    group->serve(options->of_job());
    return kExitPass;
  }
  arguments.under_mpirun = group != nullptr;
  if (group && group->size() > 1) options->readers = group.get();
  const std::vector<std::string> outputs = {arguments.output, arguments.sarif};
  if (const Status apart = refuse_same_outputs(outputs); !apart)
    return fail("report", "", apart.error());
  auto output = Output::open(arguments.output, arguments.traces);
  if (!output) return fail("report", arguments.output, output.error());
  std::optional<Output> sarif;
  if (!arguments.sarif.empty()) {
    auto besides = Output::open(arguments.sarif, arguments.traces);
    if (!besides) return fail("report", arguments.sarif, besides.error());
    sarif.emplace(std::move(*besides));
  }
  const std::vector<std::string> traces = with_folders_opened(arguments.traces);
  if (arguments.summarize_ranks) keep_summaries(traces);
  std::string failed;
  auto read = summaries_of(traces, arguments.traces, *options, failed);
  if (!read) return fail("report", failed, read.error());
  note_later_recordings("report", traces);
  const std::vector<Summary>& summaries = *read;
  if (const Status some = check_only_steps(options->summary.only_steps, summaries); !some)
    return fail("report", "", some.error());
  Status written = output->finish(document(arguments, summaries, *output) +
                                  annotations(arguments, summaries, *output));
  if (written && sarif)
    written = sarif->finish(sarif_findings(summaries, finding_rules(), repository_root()));
  if (!written) return fail("report", "", written.error());
  output->say_written();
  if (sarif) sarif->say_written();
  return status_of(summaries);
}

}  // namespace

void add_report_verb(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* verb =
      app.add_subcommand("report", "Where the wall time of a step goes, from a recorded trace");
  verb->add_option("TRACE", arguments->traces,
                   "Recorded runs; each gives a report, the ranks of one job give one")
      ->required();
  add_output_options(*verb, {"text", "json", "html", "markdown", "sarif", "github"},
                     arguments->format, arguments->output);
  const auto option = [verb](const char* names, std::string& value, const char* about,
                             const char* type) {
    verb->add_option(names, value, about)->type_name(type);
  };
  option("--sarif", arguments->sarif, "write the findings to FILE besides, for code scanning",
         "FILE");
  verb->add_flag("--github", arguments->github,
                 "the findings as annotations on stdout besides, for a step of GitHub Actions");
  option("--plain-step", arguments->plain_step, "step time without a profiler, like 38.2ms",
         "TIME");
  add_reading_options(*verb, arguments->read);
  add_process_options(*verb, arguments->read);
  verb->add_flag("--without-long-steps", arguments->without_long_steps,
                 "a trimmed view, and said to be one: steps far beyond the median are left out");
  option("--steps", arguments->only_steps,
         "a trimmed view, too: only steps A to B, by the numbers that the report gives them",
         "A:B");
  CLI::Option* flops =
      verb->add_option("--flops-per-step", arguments->flops_per_step,
                       "floating-point operations of a step of this process: prints TFLOP/s, MFU")
          ->check(above_zero())
          ->type_name("F");
  verb->add_option("--peak-tflops", arguments->peak_tflops,
                   "what a device can do; by default dense bf16 of the devices that are known")
      ->check(above_zero())
      ->needs(flops)
      ->type_name("P");
  verb->add_flag("--summarize-ranks", arguments->summarize_ranks,
                 "reduce each rank of a job first and keep that beside its recording, as profile "
                 "does at the end of a run: later reports then need not read its events");
  verb->add_flag("--no-source", arguments->without_source,
                 "leave the text of source lines out of an HTML page");
  verb->footer(kReportExamples);
  verb->callback([arguments, &status] { status = run_report(*arguments); });
}

}  // namespace stepscope
