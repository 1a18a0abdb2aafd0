// SPDX-License-Identifier: Apache-2.0
#include "cli/input/load_summary.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "cli/input/loaded_run.hpp"
#include "cli/input/recovered_run.hpp"
#include "cli/output/progress_bar.hpp"
#include "cli/output/terminal.hpp"
#include "core/findings/replayed_findings.hpp"
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

Result<Summary> summary_of_trace(const std::string& path, const ReadOptions& options,
                                 const Progress& progress) {
  std::string why_no_job;
  if (options.job && !options.rank) {
    recover_run(path);
    Result<Trace> trace = load(path, progress);
    if (!trace) return trace.error();
    std::optional<Summary> job = read_job(*trace, options.of_job(), why_no_job);
    if (job) {
      keep_sources_of_rows(sources_of_run(path), *job);
      return std::move(*job);
    }
  }
  Result<LoadedRun> run = load_run(path, options, progress);
  if (!run) return run.error();
  Summary& summary = run->summary;
  if (!why_no_job.empty()) summary.steps.notes.push_back(why_no_job);
  if (options.find)
    summary.findings = find_all_replayed(run->trace, run->steps, run->attribution, summary);
  return std::move(summary);
}

// The first option that was given and that the document does not follow.
std::string_view option_without_effect(const ReadOptions& options, const Summary& document) {
  const SummaryOptions& summary = options.summary;
  if (summary.without_long_steps) return "--without-long-steps";
  if (!options.all_apply) return "";
  if (summary.plain_step_ns && summary.plain_step_ns != document.partition.plain_step_ns)
    return "--plain-step";
  if (summary.flops) return "--flops-per-step";
  if (options.rank && options.rank != document.run.rank) return "--rank";
  if (options.section && name_of(*options.section) != name_of(document.steps.chosen))
    return "--section";
  if (!options.step_marker.empty()) return "--step-marker";
  return options.phase.empty() ? "" : "--phase";
}

}  // namespace

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
  return summary_of_trace(path, options, progress);
}

}  // namespace stepscope
