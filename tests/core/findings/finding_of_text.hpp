// SPDX-License-Identifier: Apache-2.0
// The finding of one rule about a trace that a test writes as text (tests/cases/GRAMMAR.md).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/findings/all_findings.hpp"
#include "tests/support/text_case.hpp"

namespace stepscope::testing {

// The test fails where the rule has none; an empty finding is returned then.
inline Finding finding_of_text(const std::string& text, std::string_view rule) {
  const Result<TextCase> read = parse_case("made", text);
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
  if (!read.ok()) return {};
  const Result<Attribution> attribution = attribute(read->trace, *read->steps);
  const Summary summary = summarize(read->trace, *read->steps, *attribution);
  const Findings all = find_all(read->trace, *read->steps, *attribution, summary, {});
  const auto found = std::find_if(all.found.begin(), all.found.end(),
                                  [&](const Finding& finding) { return finding.id == rule; });
  EXPECT_NE(found, all.found.end()) << rule;
  return found == all.found.end() ? Finding{} : *found;
}

}  // namespace stepscope::testing
