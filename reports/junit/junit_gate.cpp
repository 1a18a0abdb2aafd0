// SPDX-License-Identifier: Apache-2.0
#include "reports/junit/junit_gate.hpp"

#include <fmt/format.h>

#include "core/report/wording/gate.hpp"
#include "reports/markup/markup.hpp"

namespace stepscope {
namespace {

enum class CaseEnd : std::uint8_t { passed, failure, error, skipped };

struct Case {
  std::string name;
  std::string kind;  // behind "stepscope.gate.": what the metric measures
  CaseEnd end = CaseEnd::passed;
  std::string type;  // type of a failure or error
  std::string message;
  std::string details;
};

CaseEnd end_of(Outcome outcome, bool inconclusive_passes) {
  switch (outcome) {
    case Outcome::pass:
      return CaseEnd::passed;
    case Outcome::regression:
      return CaseEnd::failure;
    case Outcome::inconclusive:
      return inconclusive_passes ? CaseEnd::skipped : CaseEnd::error;
    case Outcome::not_judged:
      break;
  }
  return CaseEnd::skipped;
}

Case case_of(const MetricResult& metric, bool inconclusive_passes) {
  Case out{.name = metric.budget.empty() ? metric.name : metric.budget,
           .kind = metric.budget.empty() ? std::string(name_of(metric.kind)) : "budget",
           .end = end_of(metric.outcome, inconclusive_passes),
           .type = std::string(name_of(metric.outcome)),
           .message = metric_sentence(metric)};
  for (const MetricCause& cause : metric.causes) out.details += cause_sentence(cause) + "\n";
  return out;
}

Case comparable_case(const GateVerdict& verdict) {
  Case out{.name = "comparable", .kind = "runs"};
  if (verdict.comparable) return out;
  out.end = CaseEnd::error;
  out.type = "not_comparable";
  out.message = fmt::format("{}", fmt::join(verdict.why_not, "; "));
  return out;
}

Markup ending(const Case& c) {
  if (c.end == CaseEnd::passed)
    return c.message.empty() ? Markup() : element("system-out", text(c.message));
  if (c.end == CaseEnd::skipped)
    return empty_element("skipped", {{"message", printable(c.message)}});
  return element(c.end == CaseEnd::failure ? "failure" : "error",
                 {{"message", printable(c.message)}, {"type", c.type}},
                 text(c.message + "\n" + c.details));
}

struct Counts {
  std::size_t failures = 0, errors = 0, skipped = 0;
};

Counts counts_of(const std::vector<Case>& cases) {
  Counts out;
  for (const Case& c : cases) {
    if (c.end == CaseEnd::failure) ++out.failures;
    if (c.end == CaseEnd::error) ++out.errors;
    if (c.end == CaseEnd::skipped) ++out.skipped;
  }
  return out;
}

// The schema of Jenkins knows no count of skipped cases in the root.
Markup suite(std::string_view name, const std::vector<Case>& cases, const Markup& content) {
  const Counts counts = counts_of(cases);
  return element(name,
                 {{"name", "stepscope gate"},
                  {"tests", std::to_string(cases.size())},
                  {"failures", std::to_string(counts.failures)},
                  {"errors", std::to_string(counts.errors)},
                  {"skipped", name == "testsuite" ? std::to_string(counts.skipped) : ""},
                  {"time", "0"}},
                 content);
}

}  // namespace

std::string junit_gate(const GateVerdict& verdict, bool inconclusive_passes) {
  std::vector<Case> cases = {comparable_case(verdict)};
  for (const MetricResult& metric : verdict.metrics)
    cases.push_back(case_of(metric, inconclusive_passes));
  Markup content("\n");
  for (const Case& c : cases)
    content +=
        element(
            "testcase",
            {{"name", printable(c.name)}, {"classname", "stepscope.gate." + c.kind}, {"time", "0"}},
            ending(c)) +
        Markup("\n");
  const Markup suites =
      suite("testsuites", cases, Markup("\n") + suite("testsuite", cases, content) + Markup("\n"));
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + suites.str() + "\n";
}

}  // namespace stepscope
