// SPDX-License-Identifier: Apache-2.0
// --section of every verb that reads a trace: which of the loops that a run has one after the
// other.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "core/steps/steps.hpp"

namespace stepscope {

// `choice` must outlive the verb's callback.
inline void add_section_option(CLI::App& verb, std::optional<SectionChoice>& choice) {
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

}  // namespace stepscope
