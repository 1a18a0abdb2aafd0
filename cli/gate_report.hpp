// SPDX-License-Identifier: Apache-2.0
// Writes a gate's verdict in the formats that were asked for, and gives the exit code that says it:
// what `gate` and `gate run` share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

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

// A verdict that cannot be written is not passed on: the exit code is that of the failure.
int report_gate(const GateVerdict& verdict, const GateReportOptions& options);

}  // namespace stepscope
