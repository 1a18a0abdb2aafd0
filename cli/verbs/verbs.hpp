// SPDX-License-Identifier: Apache-2.0
// The verbs, one file each. Each adds its subcommand; where it is the one called, it sets `status`.
#pragma once

#include <CLI/CLI.hpp>

namespace stepscope {

void add_report_verb(CLI::App& app, int& status);
void add_diff_verb(CLI::App& app, int& status);
void add_profile_verb(CLI::App& app, int& status);  // where collectors are built
void add_doctor_verb(CLI::App& app, int& status);   // likewise
void add_explain_verb(CLI::App& app, int& status);
void add_export_verb(CLI::App& app, int& status);
void add_gate_verb(CLI::App& app, int& status);
void add_baseline_verb(CLI::App& app, int& status);
void add_whatif_verb(CLI::App& app, int& status);
void add_train_verb(CLI::App& app, int& status);
void add_mcp_verb(CLI::App& app, int& status);
void add_completion_verb(CLI::App& app, int& status);
void add_help_verb(CLI::App& app, int& status);
void add_ladder_verb(CLI::App& app, int& status);  // where collectors are built
void add_view_verb(CLI::App& app, int& status);    // without the viewer it says so

// A check for options that are numbers: CLI11's ranges let nan through.
CLI::Validator finite();
// Likewise: CLI11's own names the largest number that there is, in 309 digits.
CLI::Validator above_zero();

// All of them, in the order of --help, and what the program itself says there.
void add_verbs(CLI::App& app, int& status);

// The whole program: parses, runs a verb, gives the exit code.
int run_cli(int argc, const char* const* argv);

}  // namespace stepscope
