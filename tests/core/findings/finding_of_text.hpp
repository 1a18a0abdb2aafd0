// SPDX-License-Identifier: Apache-2.0
// The finding of one rule about a trace that a test writes as text (tests/cases/GRAMMAR.md).
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/findings/all_findings.hpp"
#include "tests/support/text_case.hpp"

namespace stepscope::testing {

// All findings, in the order of a report.
inline std::vector<Finding> all_findings_of_text(const std::string& text) {
  const Result<TextCase> read = parse_case("made", text);
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
  if (!read.ok()) return {};
  const Result<Attribution> attribution = attribute(read->trace, *read->steps);
  const Summary summary = summarize(read->trace, *read->steps, *attribution);
  return find_all(read->trace, *read->steps, *attribution, summary, {}).found;
}

// The test fails where the rule has none.
inline std::vector<Finding> findings_of_text(const std::string& text, std::string_view rule) {
  std::vector<Finding> out = all_findings_of_text(text);
  std::erase_if(out, [&](const Finding& finding) { return finding.id != rule; });
  EXPECT_FALSE(out.empty()) << rule;
  return out;
}

// Returns the first of them; an empty finding where the rule has none.
inline Finding finding_of_text(const std::string& text, std::string_view rule) {
  const std::vector<Finding> found = findings_of_text(text, rule);
  return found.empty() ? Finding{} : found.front();
}

}  // namespace stepscope::testing
