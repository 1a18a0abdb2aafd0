// SPDX-License-Identifier: Apache-2.0
// Writes a gate's verdict in the formats that were asked for, and gives the exit code that says it:
// what `gate` and `gate run` share.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/output/output.hpp"
#include "core/gate/verdict.hpp"

namespace stepscope {

struct GateReportOptions {
  std::string format = "text";
  std::string output;                                      // empty: stdout
  std::vector<std::pair<std::string, std::string>> files;  // format and file, besides
  bool github = false;             // annotations on stdout, and the job's summary
  std::string inconclusive = "3";  // "pass", "fail" or "3"
};

void add_gate_report_options(CLI::App& verb, GateReportOptions& options);

// The files that a verdict goes into, opened before the runs that it is about.
class GateReport {
 public:
  // `inputs`: the runs that will be read, none of which may be written over.
  static Result<GateReport> open(const GateReportOptions& options,
                                 std::span<const std::string> inputs = {});

  // The exit code. Where a file cannot be written the others still are, and the code is that of the
  // failure: a verdict that did not arrive is not passed on.
  int write(const GateVerdict& verdict);

 private:
  GateReport(GateReportOptions options, Output output)
      : options_(std::move(options)), output_(std::move(output)) {}
  Status write_all(const GateVerdict& verdict);

  GateReportOptions options_;
  Output output_;
  std::vector<Output> files_;  // as options_.files
};

}  // namespace stepscope
