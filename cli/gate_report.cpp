// SPDX-License-Identifier: Apache-2.0
#include "cli/gate_report.hpp"

#include <fmt/format.h>

#include "cli/failure.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "reports/json/json_gate.hpp"
#include "reports/text/text_gate.hpp"
#include "reports/wording/gate.hpp"

namespace stepscope {
namespace {

std::string in_format(const std::string& format, const GateVerdict& verdict, const Style& style) {
  if (format == "json") return json_gate(verdict);
  return text_gate(verdict, style);
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
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  verb.add_option("-o,--output", options.output, "write to FILE, whole or not at all")
      ->type_name("FILE");
  verb.add_option("--inconclusive", options.inconclusive,
                  "what an inconclusive verdict exits with: pass (0), fail (1) or 3")
      ->check(CLI::IsMember({"pass", "fail", "3"}))
      ->capture_default_str()
      ->type_name("HOW");
}

int report_gate(const GateVerdict& verdict, const GateReportOptions& options) {
  auto output = Output::open(options.output);
  if (!output) return fail("gate", options.output, output.error());
  const Style style = style_for(output->is_stdout() && stdout_is_terminal());
  const Status written = output->finish(in_format(options.format, verdict, style));
  if (!written) return fail("gate", "", written.error());
  const bool seen = options.output.empty() && options.format == "text";
  if (!seen)
    fmt::print(stderr, "stepscope gate: {}: {}\n", gate_title(verdict), gate_summary(verdict));
  return exit_code_of(verdict, options.inconclusive);
}

}  // namespace stepscope
