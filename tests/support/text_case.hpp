// SPDX-License-Identifier: Apache-2.0
// A golden case: a text trace and what its attribution must be. Grammar: tests/cases/GRAMMAR.md.
//
// Every cause of a checked step or sum that the case does not name must be exactly 0.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/attribution/attribution.hpp"
#include "tests/support/text_trace.hpp"

namespace stepscope::testing {

// Parts of one step, or of all steps together, in one partition.
struct ExpectedParts {
  std::optional<std::uint32_t> step;
  std::optional<std::uint32_t> device;  // absent: the process
  PerCause<std::int64_t> ns{};
};

// One line `expect WHAT NAME VALUE`, compared as text.
struct ExpectedFact {
  std::string what;  // "phase", "site", "edges", "window", ...
  std::string name;
  std::string value;
};

struct TextCase {
  std::string name;
  Trace trace;
  std::optional<Steps> steps;  // absent: find_steps decides
  std::vector<ExpectedParts> parts;
  std::vector<ExpectedFact> facts;
};

Result<TextCase> parse_case(std::string name, std::string_view text);
Result<TextCase> read_case(const std::filesystem::path& path);

// The cases of a folder by name.
std::vector<std::filesystem::path> list_cases(const std::filesystem::path& folder);

// Empty where all is as expected; else one line a difference.
std::string differences(const TextCase& expected, const Steps& steps,
                        const Attribution& attribution);

}  // namespace stepscope::testing
