// SPDX-License-Identifier: Apache-2.0
#include "cli/gate/gate_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "cli/output/failure.hpp"
#include "cli/output/output.hpp"
#include "cli/output/whole_file.hpp"
#include "cli/verbs/option_hints.hpp"
#include "core/report/wording/gate.hpp"
#include "reports/github/github_commands.hpp"
#include "reports/json/json_documents.hpp"
#include "reports/junit/junit_gate.hpp"
#include "reports/markdown/markdown_pages.hpp"
#include "reports/sarif/sarif_logs.hpp"
#include "reports/text/text_pages.hpp"

namespace stepscope {
namespace {

constexpr std::array<const char*, 4> kFileFormats = {"json", "junit", "sarif", "markdown"};

std::string in_format(const std::string& format, const GateVerdict& verdict,
                      const GateReportOptions& options, const Style& style) {
  if (format == "json") return json_gate(verdict);
  if (format == "junit") return junit_gate(verdict, options.inconclusive == "pass");
  if (format == "sarif") return sarif_gate(verdict, repository_root());
  if (format == "markdown") return markdown_gate(verdict);
  if (format == "github") return github_annotations(verdict, repository_root());
  return text_gate(verdict, style);
}

// The step's part of the job's page; steps add to it.
Status add_to_job_summary(const GateVerdict& verdict) {
  const char* file = std::getenv("GITHUB_STEP_SUMMARY");
  if (file == nullptr || *file == '\0') return Done{};
  std::ofstream out(file, std::ios::binary | std::ios::app);
  out << markdown_gate(verdict);
  out.flush();
  if (!out) return io_error(std::string(file) + ": the job's summary cannot be written");
  return Done{};
}

// Returns the exit code. Runs that cannot be compared are never a pass, whatever --inconclusive
// says.
int exit_code_of(const GateVerdict& verdict, const std::string& inconclusive) {
  if (verdict.outcome == Outcome::pass) return kExitPass;
  if (verdict.outcome == Outcome::regression || inconclusive == "fail") return kExitRegression;
  return verdict.comparable && inconclusive == "pass" ? kExitPass : kExitInconclusive;
}

}  // namespace

void add_gate_report_options(CLI::App& verb, GateReportOptions& options) {
  add_output_options(verb, {"text", "json", "junit", "sarif", "github", "markdown"}, options.format,
                     options.output);
  for (const char* format : kFileFormats) {
    const auto add = [&options, format](const std::string& file) {
      options.files.emplace_back(format, file);
    };
    verb.add_option_function<std::string>(std::string("--") + format, add,
                                          fmt::format("write {} to FILE besides", format))
        ->type_name("FILE");
  }
  verb.add_flag("--github", options.github,
                "annotations on stdout besides, and the job's summary (GITHUB_STEP_SUMMARY)");
  verb.add_option("--inconclusive", options.inconclusive,
                  "what an inconclusive verdict exits with: pass (0), fail (1) or 3")
      ->check(one_of({"pass", "fail", "3"}))
      ->capture_default_str()
      ->type_name("HOW");
}

Result<GateReport> GateReport::open(const GateReportOptions& options,
                                    std::span<const std::string> inputs) {
  std::vector<std::string> outputs = {options.output};
  for (const auto& [format, path] : options.files) outputs.push_back(path);
  if (const Status apart = refuse_same_outputs(outputs); !apart) return apart.error();
  auto output = Output::open(options.output, inputs);
  if (!output) return output.error();
  GateReport out(options, std::move(*output));
  for (const auto& [format, path] : options.files) {
    auto file = Output::open(path, inputs);
    if (!file) return file.error();
    out.files_.push_back(std::move(*file));
  }
  return out;
}

Status GateReport::write_all(const GateVerdict& verdict) {
  const bool github = options_.github || options_.format == "github";
  const Style style = style_for(output_.is_stdout() && stdout_is_terminal());
  std::string text = in_format(options_.format, verdict, options_, style);
  if (options_.github && options_.format != "github" && options_.output.empty())
    text += in_format("github", verdict, options_, style);
  Status all = output_.finish(text);
  const auto note = [&all](Status written) {
    if (all) all = std::move(written);
  };
  for (std::size_t i = 0; i < files_.size(); ++i)
    note(files_[i].finish(in_format(options_.files[i].first, verdict, options_, {})));
  if (github) note(add_to_job_summary(verdict));
  return all;
}

int GateReport::write(const GateVerdict& verdict) {
  const Status written = write_all(verdict);
  const bool seen = written && options_.output.empty() && options_.format == "text";
  if (!seen) say("stepscope gate: {}: {}\n", gate_title(verdict), gate_summary(verdict));
  if (!written) return fail("gate", "", written.error());
  output_.say_written();
  for (const Output& file : files_) file.say_written();
  return exit_code_of(verdict, options_.inconclusive);
}

}  // namespace stepscope
