// SPDX-License-Identifier: Apache-2.0
#include "cli/gate_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "cli/failure.hpp"
#include "cli/output.hpp"
#include "cli/repository_root.hpp"
#include "cli/terminal.hpp"
#include "reports/github/github_gate.hpp"
#include "reports/json/json_gate.hpp"
#include "reports/junit/junit_gate.hpp"
#include "reports/markdown/markdown_gate.hpp"
#include "reports/sarif/sarif_gate.hpp"
#include "reports/text/text_gate.hpp"
#include "reports/wording/gate.hpp"

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

Status write_to(const std::string& file, const std::string& text) {
  auto output = Output::open(file);
  return output ? output->finish(text) : Status(output.error());
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

Status write_all(const GateVerdict& verdict, const GateReportOptions& options, Output& output) {
  const bool github = options.github || options.format == "github";
  const Style style = style_for(output.is_stdout() && stdout_is_terminal());
  std::string text = in_format(options.format, verdict, options, style);
  if (options.github && options.format != "github" && options.output.empty())
    text += in_format("github", verdict, options, style);
  Status written = output.finish(text);
  for (const auto& [format, file] : options.files)
    if (written) written = write_to(file, in_format(format, verdict, options, {}));
  return written && github ? add_to_job_summary(verdict) : written;
}

// What cannot be compared is never a pass, whatever --inconclusive says.
int exit_code_of(const GateVerdict& verdict, const std::string& inconclusive) {
  if (verdict.outcome == Outcome::pass) return kExitPass;
  if (verdict.outcome == Outcome::regression || inconclusive == "fail") return kExitRegression;
  return verdict.comparable && inconclusive == "pass" ? kExitPass : kExitInconclusive;
}

}  // namespace

void add_gate_report_options(CLI::App& verb, GateReportOptions& options) {
  verb.add_option("--format", options.format, "the default is text")
      ->check(CLI::IsMember({"text", "json", "junit", "sarif", "github", "markdown"}))
      ->type_name("FORMAT");
  verb.add_option("-o,--output", options.output, "write to FILE, whole or not at all")
      ->type_name("FILE");
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
      ->check(CLI::IsMember({"pass", "fail", "3"}))
      ->capture_default_str()
      ->type_name("HOW");
}

int report_gate(const GateVerdict& verdict, const GateReportOptions& options) {
  auto output = Output::open(options.output);
  if (!output) return fail("gate", options.output, output.error());
  const Status written = write_all(verdict, options, *output);
  if (!written) return fail("gate", "", written.error());
  const bool seen = options.output.empty() && options.format == "text";
  if (!seen)
    fmt::print(stderr, "stepscope gate: {}: {}\n", gate_title(verdict), gate_summary(verdict));
  return exit_code_of(verdict, options.inconclusive);
}

}  // namespace stepscope
