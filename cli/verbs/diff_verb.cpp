// SPDX-License-Identifier: Apache-2.0
// stepscope diff A B: load both sides, compare, write.
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <memory>

#include "cli/input/later_recording.hpp"
#include "cli/input/load_summary.hpp"
#include "cli/output/failure.hpp"
#include "cli/output/output.hpp"
#include "cli/verbs/option_hints.hpp"
#include "cli/verbs/verbs.hpp"
#include "core/compare/comparison.hpp"
#include "reports/html/html_pages.hpp"
#include "reports/json/json_documents.hpp"
#include "reports/markdown/markdown_pages.hpp"
#include "reports/svg/waterfall.hpp"
#include "reports/text/text_pages.hpp"

namespace stepscope {
namespace {

constexpr const char* kDiffExamples =
    "Examples:\n"
    "  stepscope diff before.scope after.scope\n"
    "  stepscope diff baseline.json after.scope    a baseline kept as a report: some kilobytes\n"
    "  stepscope diff --baseline a1.scope a2.scope a3.scope --candidate b1.scope b2.scope "
    "b3.scope\n"
    "                                              the middle run of each side, and the range\n"
    "  stepscope diff b32.scope b64.scope --samples 32,64    per sample, of the smaller batch\n"
    "  stepscope diff before.scope after.scope --format json -o diff.json\n"
    "  stepscope diff before.scope after.scope --format html -o diff.html   a page with its "
    "waterfall\n"
    "  stepscope diff before.scope after.scope --format svg -o diff.svg     the waterfall alone\n"
    "A and B are what 'stepscope report' reads, or the JSON that it writes. B minus A: less than "
    "0\n"
    "is faster. The parts sum to the difference exactly. Runs that did other work, or ran on\n"
    "another device, are not compared: the exit code is 3, and --anyway shows the tables.";

struct DiffArguments {
  std::vector<std::string> sides;
  std::vector<std::string> baseline;
  std::vector<std::string> candidate;
  std::string format = "text";
  std::string output;
  std::string samples;
  ReadOptions read;
  bool anyway = false;
};

Status choose_sides(DiffArguments& arguments) {
  const bool lists = !arguments.baseline.empty() || !arguments.candidate.empty();
  if (lists && !arguments.sides.empty())
    return usage_error("give either A B, or --baseline and --candidate");
  if (lists && (arguments.baseline.empty() || arguments.candidate.empty()))
    return usage_error(arguments.baseline.empty() ? "--baseline is missing"
                                                  : "--candidate is missing");
  if (lists) return Done{};
  if (arguments.sides.size() != 2)
    return usage_error(fmt::format("needs two runs, A and B; {} given", arguments.sides.size()));
  arguments.baseline = {arguments.sides[0]};
  arguments.candidate = {arguments.sides[1]};
  return Done{};
}

std::optional<double> positive(const std::string& text) {
  std::size_t used = 0;
  try {
    const double value = std::stod(text, &used);
    if (used == text.size() && std::isfinite(value) && value > 0) return value;
  } catch (const std::exception&) {  // no number, or none that a double holds
  }
  return {};
}

Result<CompareOptions> compare_options(const DiffArguments& arguments) {
  CompareOptions out{.anyway = arguments.anyway};
  if (arguments.samples.empty()) return out;
  const std::size_t comma = arguments.samples.find(',');
  if (comma != std::string::npos) {
    out.a_samples = positive(arguments.samples.substr(0, comma));
    out.b_samples = positive(arguments.samples.substr(comma + 1));
  }
  if (!out.a_samples || !out.b_samples)
    return usage_error(fmt::format(
        "--samples '{}': give the samples in a step of A and of B, like 32,64", arguments.samples));
  return out;
}

// Nothing where a run could not be read: the error has been printed, and `status` set.
std::vector<Summary> load_runs(const std::vector<std::string>& paths, const ReadOptions& options,
                               int& status) {
  std::vector<Summary> out;
  for (Result<Summary>& summary : load_summaries(paths, options)) {
    if (!summary) {
      status = fail("diff", paths[out.size()], summary.error());
      return {};
    }
    out.push_back(std::move(*summary));
  }
  return out;
}

std::string diff_document(const DiffArguments& arguments, const Comparison& comparison,
                          const Output& output) {
  if (arguments.format == "json") return json_diff(comparison);
  if (arguments.format == "html") return html_diff(comparison);
  if (arguments.format == "markdown") return markdown_diff(comparison);
  if (arguments.format == "svg") return svg_waterfall(comparison);
  return text_diff(comparison, style_for(output.is_stdout() && stdout_is_terminal()));
}

int status_of_diff(const Comparison& comparison) {
  if (comparison.shown()) return kExitPass;
  const std::string& why = comparison.why_not.front();
  const char* hint = comparison.steps > 0 ? "; --anyway shows the tables" : "";
  return fail("diff", "", {ErrorCode::inconclusive, "not comparable: " + why + hint});
}

int run_diff(DiffArguments arguments) {
  const Status chosen = choose_sides(arguments);
  if (!chosen) return fail("diff", "", chosen.error());
  const auto options = compare_options(arguments);
  if (!options) return fail("diff", "", options.error());
  const Status checked = check_read_options(arguments.read);
  if (!checked) return fail("diff", "", checked.error());
  std::vector<std::string> inputs = arguments.baseline;
  inputs.insert(inputs.end(), arguments.candidate.begin(), arguments.candidate.end());
  auto output = Output::open(arguments.output, inputs);
  if (!output) return fail("diff", arguments.output, output.error());
  note_later_recordings("diff", inputs);
  int status = kExitPass;
  std::vector<Summary> a = load_runs(inputs, arguments.read, status);
  if (a.empty()) return status;
  const auto behind_a = a.begin() + static_cast<std::ptrdiff_t>(arguments.baseline.size());
  const std::vector<Summary> b(std::make_move_iterator(behind_a), std::make_move_iterator(a.end()));
  a.erase(behind_a, a.end());
  const Comparison comparison = compare_runs(a, b, *options);
  const Status written = output->finish(diff_document(arguments, comparison, *output));
  if (!written) return fail("diff", "", written.error());
  output->say_written();
  return status_of_diff(comparison);
}

}  // namespace

void add_diff_verb(CLI::App& app, int& status) {
  auto arguments = std::make_shared<DiffArguments>();
  CLI::App* verb = app.add_subcommand(
      "diff", "Why run B's step takes longer or shorter than run A's, as parts that add up");
  verb->add_option("RUN", arguments->sides, "Two runs: A, the one before, and B, the one after");
  verb->add_option("--baseline", arguments->baseline, "several runs of A's side")
      ->type_name("A...");
  verb->add_option("--candidate", arguments->candidate, "several runs of B's side")
      ->type_name("B...");
  add_output_options(*verb, {"text", "json", "html", "markdown", "svg"}, arguments->format,
                     arguments->output);
  verb->add_option("--samples", arguments->samples,
                   "samples in a step of A and of B: compares per sample")
      ->type_name("N,M");
  verb->add_flag("--anyway", arguments->anyway, "show the tables of runs that are not comparable");
  add_reading_options(*verb, arguments->read);
  add_process_options(*verb, arguments->read);
  verb->footer(kDiffExamples);
  verb->callback([arguments, &status] { status = run_diff(*arguments); });
}

}  // namespace stepscope
