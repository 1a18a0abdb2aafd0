// SPDX-License-Identifier: Apache-2.0
#include "cli/input/load_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/input/job_traces.hpp"
#include "cli/input/loaded_run.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_bar.hpp"
#include "core/findings/all_findings.hpp"
#include "core/importers/load.hpp"
#include "core/summary/document/document.hpp"
#include "core/support/name_pattern.hpp"
#include "core/symbols/source_texts.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kLargestReport = 4 << 20;  // searched for its schema's name

Status check_pattern(const char* option, const std::string& text) {
  const auto pattern = NamePattern::compile(option, text);
  return pattern ? Status(Done{}) : Status(pattern.error());
}

Result<Summary> summary_of_run(const std::string& path, Trace trace, const ReadOptions& options) {
  Result<LoadedRun> run = read_run(std::move(trace), path, options);
  if (!run) return run.error();
  if (options.find)
    run->summary.findings =
        find_all_replayed(run->trace, run->steps, run->attribution, run->summary);
  return std::move(run->summary);
}

// The job of a run's ranks; nothing where it is of one rank, or one was chosen. A folder of ours is
// read rank by rank. Any other trace is loaded for it, and then kept in `loaded`.
Result<std::optional<Summary>> job_of_run(const std::string& path, const ReadOptions& options,
                                          const Progress& progress, std::optional<Trace>& loaded,
                                          std::string& why_not) {
  if (!options.names_process()) {
    const auto ranks = traces_of_job({path});
    if (ranks->size() > 1)
      return read_job(*ranks, options.of_job(), progress, why_not, options.readers);
  }
  Result<Trace> trace = load(path, progress);
  if (!trace) return trace.error();
  loaded = std::move(*trace);
  if (options.names_process()) return std::optional<Summary>();
  return read_job(*loaded, options.of_job(), why_not);
}

Result<Summary> summary_of_trace(const std::string& path, const ReadOptions& options,
                                 const Progress& progress) {
  recover_run(path);
  std::optional<Trace> loaded;
  std::string why_not;
  auto job = job_of_run(path, options, progress, loaded, why_not);
  if (!job) return job.error();
  if (*job) {
    keep_sources_of_rows(sources_of_run(path), **job);
    return std::move(**job);
  }
  if (!loaded) {
    Result<Trace> trace = load(path, progress);
    if (!trace) return trace.error();
    loaded = std::move(*trace);
  }
  Result<Summary> summary = summary_of_run(path, std::move(*loaded), options);
  if (summary && !why_not.empty())
    summary->steps.notes.insert(summary->steps.notes.begin(), why_not);
  return summary;
}

// A folder that other profilers filled with a file a rank.
Result<Summary> summary_of_folder(const std::string& folder, const std::vector<std::string>& files,
                                  const ReadOptions& options, const Progress& progress) {
  std::string why_not;
  auto job = job_of_files(files, options, progress, why_not);
  if (!job) return job.error();
  if (*job) return std::move(**job);
  return bad_input(fmt::format("{} holds {} traces that are not the ranks of one job{}: give one",
                               folder, files.size(), why_not.empty() ? "" : " (" + why_not + ")"));
}

// The first option that was given and that the document does not follow.
std::string_view option_without_effect(const ReadOptions& options, const Summary& document) {
  const SummaryOptions& summary = options.summary;
  if (summary.without_long_steps) return "--without-long-steps";
  if (summary.only_steps) return "--steps";
  if (!options.all_apply) return "";
  if (summary.plain_step_ns && summary.plain_step_ns != document.partition.plain_step_ns)
    return "--plain-step";
  if (summary.flops) return "--flops-per-step";
  if (options.rank && options.rank != document.run.rank) return "--rank";
  if (options.pid) return "--process";
  if (options.section && name_of(*options.section) != name_of(document.steps.chosen))
    return "--section";
  if (!options.step_marker.empty()) return "--step-marker";
  return options.phase.empty() ? "" : "--phase";
}

}  // namespace

bool may_be_files_of_job(const std::vector<std::string>& paths, const ReadOptions& options) {
  return paths.size() > 1 && !options.names_process() &&
         std::none_of(paths.begin(), paths.end(), is_report_document);
}

Result<std::optional<Summary>> job_of_files(const std::vector<std::string>& paths,
                                            const ReadOptions& options, const Progress& progress,
                                            std::string& why_not) {
  auto summary =
      read_job(*traces_of_job(paths), options.of_job(), progress, why_not, options.readers);
  if (summary && *summary)
    (*summary)->run.path =
        fmt::format("{} and {} more", (*summary)->run.path, (*summary)->job->ranks.size() - 1);
  return summary;
}

Status check_read_options(const ReadOptions& options) {
  const Status marker = check_pattern("--step-marker", options.step_marker);
  return marker ? check_pattern("--phase", options.phase) : marker;
}

bool is_report_document(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  // A tool that sorts keys puts the schema's name behind the tables: a report is small enough to be
  // looked through.
  std::string begin(kLargestReport, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return looks_like_report_document(
      std::string_view(begin).substr(0, static_cast<std::size_t>(file.gcount())));
}

Result<Summary> load_summary(const std::string& path, const ReadOptions& options) {
  ProgressBar bar("reading " + path, stderr_is_terminal());
  return load_summary(path, options, bar.callback());
}

Result<Summary> load_summary(const std::string& path, const ReadOptions& options,
                             const Progress& progress) {
  if (is_report_document(path)) {
    Result<Summary> document = read_report_document(path);
    const std::string_view option = document ? option_without_effect(options, *document) : "";
    if (option.empty()) return document;
    return usage_error(
        fmt::format("{}: a report's document holds sums over its own steps, phases "
                    "and rank; give the trace that it was made of",
                    option));
  }
  const std::vector<std::string> files = with_folders_opened({path});
  if (may_be_files_of_job(files, options)) return summary_of_folder(path, files, options, progress);
  return summary_of_trace(path, options, progress);
}

namespace {

void add_section_option(CLI::App& verb, std::optional<SectionChoice>& choice) {
  verb.add_option_function<std::string>(
          "--section",
          [&choice](const std::string& text) {
            const Result<SectionChoice> parsed = parse_section(text);
            if (!parsed) throw CLI::ValidationError(parsed.error().message);
            choice = *parsed;
          },
          "which loop of the run, as the report numbers them; by default 1")
      ->type_name("N[.M]");
}

}  // namespace

void add_reading_options(CLI::App& verb, ReadOptions& options) {
  verb.add_option("--step-marker", options.step_marker, "ranges or ops that are steps")
      ->type_name("REGEX");
  verb.add_option("--phase", options.phase, "ranges that are phases")->type_name("REGEX");
  add_section_option(verb, options.section);
}

void add_process_options(CLI::App& verb, ReadOptions& options) {
  verb.add_option("--rank", options.rank, "whose steps, of several ranks")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  verb.add_option("--process", options.pid,
                  "whose steps, of a program with several processes: the report names their ids")
      ->check(CLI::NonNegativeNumber)
      ->type_name("PID");
}

}  // namespace stepscope
