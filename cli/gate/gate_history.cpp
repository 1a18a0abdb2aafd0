// SPDX-License-Identifier: Apache-2.0
#include "cli/gate/gate_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/input/load_summary.hpp"
#include "cli/output/failure.hpp"
#include "cli/output/output.hpp"
#include "cli/verbs/option_hints.hpp"
#include "cli/verbs/verbs.hpp"
#include "core/gate/history.hpp"
#include "reports/json/json_documents.hpp"
#include "reports/text/text_pages.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGateHistoryExamples =
    "Examples:\n"
    "  stepscope gate history perf                      perf/2026-01-07.json, "
    "perf/2026-01-08.json\n"
    "  stepscope gate history perf --metric step_time --metric phase:topk --recent 20\n"
    "Each entry of the folder is a result: a report's JSON, or a folder of several of one commit,\n"
    "of which the median counts. Entries are taken in the order of their names, so begin those "
    "with\n"
    "a date or a number. Exit codes: 0 pass, 1 a rise, 3 too few results, 4 bad input.";

struct GateHistoryArguments {
  std::string folder;
  std::vector<std::string> metrics = {"step_time"};
  HistoryOptions options;
  std::string format = "text";
  std::string output;
};

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.front() == '.' || name.ends_with(".scope")) continue;  // recordings lie beside
    if (entry.is_directory() || name.ends_with(".json")) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Error naming_file(const std::string& path, const Error& error) {
  const bool named = error.message.find(path) != std::string::npos;
  return named ? error : Error{error.code, path + ": " + error.message};
}

Result<HistoryResult> load_result(const fs::path& entry) {
  HistoryResult out{.name = entry.stem().string()};
  const bool folder = fs::is_directory(entry);
  if (folder) out.name = entry.filename().string();
  for (const fs::path& file : folder ? entries_of(entry) : std::vector{entry}) {
    auto summary = load_summary(file.string());
    if (!summary) return naming_file(file.string(), summary.error());
    out.runs.push_back(std::move(*summary));
  }
  return out;
}

Result<std::vector<HistoryResult>> load_results(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return io_error(folder + ": is no folder of results");
  std::vector<HistoryResult> out;
  for (const fs::path& entry : entries_of(folder)) {
    auto result = load_result(entry);
    if (!result) return result.error();
    if (!result->runs.empty()) out.push_back(std::move(*result));
  }
  if (out.empty()) return bad_input(folder + ": holds no report (*.json)");
  return out;
}

Status read_metrics(GateHistoryArguments& arguments) {
  arguments.options.metrics.clear();
  for (const std::string& name : arguments.metrics) {
    const Result<Metric> metric = parse_metric(name);
    if (!metric) return usage_error("--metric: " + metric.error().message);
    arguments.options.metrics.push_back(*metric);
  }
  return Done{};
}

int run_history(GateHistoryArguments arguments) {
  if (const Status metrics = read_metrics(arguments); !metrics)
    return fail("gate history", "", metrics.error());
  auto output = Output::open(arguments.output);
  if (!output) return fail("gate history", arguments.output, output.error());
  const auto results = load_results(arguments.folder);
  if (!results) return fail("gate history", "", results.error());
  const History history = judge_history(arguments.options, *results);
  const Style style = style_for(output->is_stdout() && stdout_is_terminal());
  const Status written = output->finish(arguments.format == "json" ? json_history(history)
                                                                   : text_history(history, style));
  if (!written) return fail("gate history", "", written.error());
  output->say_written();
  if (history.outcome == Outcome::regression) return kExitRegression;
  return history.outcome == Outcome::pass ? kExitPass : kExitInconclusive;
}

}  // namespace

void add_gate_history_verb(CLI::App& gate, int& status) {
  auto arguments = std::make_shared<GateHistoryArguments>();
  CLI::App* verb = gate.add_subcommand("history", "Did a metric rise in a folder of results?");
  verb->add_option("FOLDER", arguments->folder, "stored results, by name in order")->required();
  verb->add_option("--metric", arguments->metrics, "as in a policy; several may be named")
      ->capture_default_str()
      ->type_name("NAME");
  verb->add_option("--recent", arguments->options.recent, "results in which a rise is a regression")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str()
      ->type_name("N");
  verb->add_option("--tolerance", arguments->options.tolerance, "a smaller rise is none")
      ->check(finite() & CLI::Range(0.0, 10.0))
      ->capture_default_str()
      ->type_name("SHARE");
  verb->add_option("--level", arguments->options.level, "chance of a false change of level")
      ->check(finite() & CLI::Range(1e-5, 0.5))
      ->capture_default_str()
      ->type_name("P");
  add_output_options(*verb, {"text", "json"}, arguments->format, arguments->output);
  verb->footer(kGateHistoryExamples);
  verb->callback([arguments, &status] { status = run_history(*arguments); });
}

}  // namespace stepscope
