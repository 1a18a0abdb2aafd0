// SPDX-License-Identifier: Apache-2.0
// Every file of tests/cases/findings is one test: a trace as text, and what the rules must say.
// `--gtest_filter=*/NAME` runs one case. Grammar of the expectations: tests/cases/GRAMMAR.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/findings/all_findings.hpp"
#include "tests/support/text_case.hpp"

namespace stepscope::testing {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(STEPSCOPE_SOURCE_DIR) / "tests/cases/findings";

const Finding* found(const Findings& findings, const std::string& id) {
  const auto at = std::find_if(findings.found.begin(), findings.found.end(),
                               [&id](const Finding& one) { return one.id == id; });
  return at == findings.found.end() ? nullptr : &*at;
}

std::string reasons(const std::vector<NotFound>& list, const std::string& id) {
  std::string out;
  for (const NotFound& one : list)
    if (one.id == id) out += one.reason + "\n";
  return out;
}

std::string place(const Finding& finding) {
  if (finding.places.empty()) return "phase:" + finding.phase;
  return finding.places.front().file + ":" + std::to_string(finding.places.front().line);
}

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// Returns the value of a finding's property, as text, for a fact of the case.
std::string value_of(const Finding& finding, const std::string& what) {
  if (what == "found") return place(finding);
  if (what == "caused") return number(finding.caused_ns_per_step / 1000);
  if (what == "ceiling") return number(finding.ceiling_ns_per_step / 1000);
  if (what == "count") return number(finding.count_per_step);
  if (what == "severity") return std::string(name_of(finding.severity));
  if (what == "certainty") return std::string(name_of(finding.certainty));
  if (what == "phase_of") return finding.phase;
  return "'" + what + "' is nothing that a case can expect";
}

void check_fact(const Findings& findings, const ExpectedFact& fact) {
  const Finding* finding = found(findings, fact.name);
  if (fact.name.empty()) {
    ADD_FAILURE() << "expect " << fact.what << " names a rule and then a value (GRAMMAR.md)";
  } else if (fact.what == "absent") {
    EXPECT_EQ(finding, nullptr) << fact.name << ": " << finding->title;
  } else if (fact.what == "cleared") {
    EXPECT_NE(reasons(findings.cleared, fact.name).find(fact.value), std::string::npos)
        << fact.name << " is cleared by: " << reasons(findings.cleared, fact.name);
  } else if (fact.what == "abstained") {
    EXPECT_NE(reasons(findings.abstained, fact.name).find(fact.value), std::string::npos)
        << fact.name << " abstains by: " << reasons(findings.abstained, fact.name);
  } else if (finding == nullptr) {
    ADD_FAILURE() << fact.name << " is not found; cleared: " << reasons(findings.cleared, fact.name)
                  << " abstained: " << reasons(findings.abstained, fact.name);
  } else if (fact.what == "first") {
    EXPECT_EQ(findings.found.front().id, fact.name);
  } else if (fact.what == "advice") {
    EXPECT_NE(finding->fix.find(fact.value), std::string::npos) << finding->fix;
  } else if (fact.what == "title") {
    EXPECT_NE(finding->title.find(fact.value), std::string::npos) << finding->title;
  } else if (fact.what == "hint") {
    const bool is_none = fact.value.empty() && finding->code_hint.empty();
    const bool has_it =
        !fact.value.empty() && finding->code_hint.find(fact.value) != std::string::npos;
    EXPECT_TRUE(is_none || has_it) << finding->code_hint;
  } else if (fact.what == "shows") {
    EXPECT_NE(finding->shows_as.find(fact.value), std::string::npos) << finding->shows_as;
  } else {
    EXPECT_EQ(value_of(*finding, fact.what), fact.value) << fact.what << " of " << fact.name;
  }
}

// What every finding owes to a reader, whichever rule made it.
void check_contract(const Findings& findings, double step_ns) {
  for (const Finding& finding : findings.found) {
    EXPECT_FALSE(finding.title.empty()) << finding.id;
    EXPECT_FALSE(finding.fix.empty()) << finding.id;
    EXPECT_FALSE(finding.falsified_by.empty()) << finding.id;
    EXPECT_FALSE(finding.evidence.empty()) << finding.id;
    ASSERT_EQ(finding.events.size(), finding.evidence.size()) << finding.id;
    for (std::size_t i = 0; i < finding.events.size(); ++i) {
      EXPECT_EQ(finding.events[i].id, finding.evidence[i]);
      EXPECT_FALSE(finding.events[i].name.empty()) << finding.id;
    }
    EXPECT_GE(finding.ceiling_ns_per_step, 0.01 * step_ns) << finding.id;
    EXPECT_LE(finding.caused_ns_per_step, step_ns * 1.000001) << finding.id;
    double placed = 0;
    for (const FindingPlace& one : finding.places) placed += one.caused_ns_per_step;
    EXPECT_LE(placed, finding.caused_ns_per_step * 1.000001) << finding.id;
  }
}

class FindingCase : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(FindingCase, IsAsWritten) {
  const Result<TextCase> read = read_case(GetParam());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_TRUE(read->steps.has_value());
  const Result<Attribution> attribution = attribute(read->trace, *read->steps);
  ASSERT_TRUE(attribution.ok()) << attribution.error().message;
  const Summary summary = summarize(read->trace, *read->steps, *attribution);
  const Findings findings = find_all(read->trace, *read->steps, *attribution, summary, {});
  for (const ExpectedFact& fact : read->facts) check_fact(findings, fact);
  check_contract(findings, summary.partition.wall_ns_per_step());
}

INSTANTIATE_TEST_SUITE_P(Cases, FindingCase, ::testing::ValuesIn(list_cases(kFolder)),
                         [](const auto& at) { return at.param.stem().string(); });

// Each rule has a case in which it fires and one in which it does not.
TEST(FindingCases, HoldBothForEveryRule) {
  std::map<std::string, int> fires, does_not;
  for (const std::filesystem::path& path : list_cases(kFolder)) {
    const Result<TextCase> read = read_case(path);
    ASSERT_TRUE(read.ok()) << read.error().message;
    for (const ExpectedFact& fact : read->facts) {
      if (fact.what == "found") ++fires[fact.name];
      if (fact.what == "absent") ++does_not[fact.name];
    }
  }
  for (const std::string_view id : finding_ids()) {
    EXPECT_GE(fires[std::string(id)], 1)
        << "no case of tests/cases/findings says 'expect found " << id << " FILE:LINE'";
    EXPECT_GE(does_not[std::string(id)], 1)
        << "no case of tests/cases/findings says 'expect absent " << id << " yes'";
  }
}

}  // namespace
}  // namespace stepscope::testing
