// SPDX-License-Identifier: Apache-2.0
#include "cli/input/load_summary.hpp"

namespace stepscope {
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

void add_rank_option(CLI::App& verb, ReadOptions& options) {
  verb.add_option("--rank", options.rank, "whose steps, of several ranks")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
}

}  // namespace stepscope
