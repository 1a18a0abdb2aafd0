// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/gate.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/report/wording/numbers.hpp"
#include "core/report/wording/shown_path.hpp"
#include "core/support/duration.hpp"

namespace stepscope {
namespace {

std::string percent_above(double ratio) {
  return fmt::format("{:+.1f} %", 100 * (ratio - 1));
}

const std::string& title_of(const MetricResult& metric) {
  return metric.budget.empty() ? metric.name : metric.budget;
}

std::string names_of(const GateVerdict& verdict, Outcome wanted) {
  std::string out;
  for (const MetricResult& metric : verdict.metrics)
    if (metric.outcome == wanted) out += (out.empty() ? "" : ", ") + title_of(metric);
  return out;
}

std::string further(const std::optional<std::uint64_t>& runs) {
  if (!runs) return "";
  return fmt::format("; {} more run{} a side would most likely decide it", *runs,
                     *runs == 1 ? "" : "s");
}

std::string judged(const GateVerdict& verdict) {
  const std::size_t metrics = verdict.metrics.size() - verdict.count(Outcome::not_judged);
  const std::size_t runs = verdict.baseline.size();
  return fmt::format("{} metric{} over {} against {} run{}", metrics, metrics == 1 ? "" : "s",
                     verdict.candidate.size(), runs, runs == 1 ? "" : "s");
}

// Metrics of one reason stand together: what holds for one need not hold for the next.
std::string why_inconclusive(const GateVerdict& verdict) {
  const auto groups = gate_reasons(verdict, Outcome::inconclusive);
  if (groups.empty()) return "no metric could be judged";
  std::string out;
  for (const auto& [why, names] : groups)
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", names, why);
  return out + further(verdict.further_runs);
}

// Names of templates may fill a page.
std::string cut(std::string_view name) {
  constexpr std::size_t kLongest = 60;
  return name.size() <= kLongest ? std::string(name)
                                 : std::string(name.substr(0, kLongest - 3)) + "...";
}

// A finding is of no single cause, and work that owns no time of none at all: the line says where
// it is.
std::string cause_and_phase(const MetricCause& cause) {
  std::string out;
  if (cause.cause != Cause::unknown) out = name_of(cause.cause);
  if (!cause.phase.empty()) out += (out.empty() ? "phase " : ", phase ") + cause.phase;
  return out.empty() ? "" : " (" + out + ")";
}

std::string signed_amount(double amount, const std::string& text) {
  return (amount < 0 ? "-" : "+") + text;
}

// Shows all digits that changed, so that a rise is not taken for rounding.
std::string difference(const MetricCause& cause) {
  std::vector<std::string> out;
  if (cause.ns_per_step != 0)
    out.push_back(signed_amount(cause.ns_per_step, format_duration(std::abs(cause.ns_per_step))) +
                  " a step");
  if (std::abs(cause.calls_per_step) >= 0.005) {
    const std::string calls = format_count(std::abs(cause.calls_per_step));
    out.push_back(signed_amount(cause.calls_per_step, calls) + (calls == "1" ? " call" : " calls"));
  }
  if (cause.bytes_per_step != 0)
    out.push_back(
        signed_amount(cause.bytes_per_step, format_bytes(std::abs(cause.bytes_per_step))));
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> gate_reasons(const GateVerdict& verdict,
                                                              Outcome outcome) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const MetricResult& metric : verdict.metrics) {
    if (metric.outcome != outcome) continue;
    const auto known = std::find_if(out.begin(), out.end(),
                                    [&](const auto& row) { return row.first == metric.why; });
    if (known == out.end()) {
      out.emplace_back(metric.why, title_of(metric));
    } else {
      known->second += ", " + title_of(metric);
    }
  }
  return out;
}

std::string format_metric(MetricKind kind, double value) {
  if (kind == MetricKind::time) return format_duration(value);
  return kind == MetricKind::bytes ? format_bytes(value) : format_count(value);
}

std::string format_value(MetricKind kind, const std::optional<double>& value) {
  return value ? format_metric(kind, *value) : "not known";
}

std::string format_change(const MetricResult& metric) {
  return metric.ratio ? percent_above(*metric.ratio) : "";
}

std::string note_on_changes(const GateVerdict& verdict) {
  constexpr double kVisible = 0.005;
  const bool differs =
      std::any_of(verdict.metrics.begin(), verdict.metrics.end(), [](const MetricResult& metric) {
        return metric.outcome != Outcome::not_judged && metric.ratio && metric.candidate &&
               metric.baseline.value_or(0) > 0 &&
               std::abs(*metric.ratio - *metric.candidate / *metric.baseline) > kVisible;
      });
  return differs ? "A change is the middle of the runs' ratios, not the ratio of the two medians "
                   "beside it: where runs differ much, so do these."
                 : "";
}

std::string format_bounds(const MetricResult& metric) {
  if (!metric.ratio_low && !metric.ratio_high) return "";
  const auto bound = [](const std::optional<double>& ratio) {
    return ratio ? percent_above(*ratio) : std::string("?");
  };
  return fmt::format("{} to {}", bound(metric.ratio_low), bound(metric.ratio_high));
}

std::string format_allowed(const MetricResult& metric) {
  if (metric.budget.empty()) return percent_above(1 + metric.tolerance);
  const auto sign = metric.budget.find("<=");
  return sign == std::string::npos ? metric.budget : metric.budget.substr(sign);
}

std::string_view gate_title(const GateVerdict& verdict) {
  if (verdict.outcome == Outcome::pass) return "Pass";
  if (verdict.outcome == Outcome::regression) return "Regression";
  return verdict.comparable ? "Inconclusive" : "Not comparable";
}

std::string gate_summary(const GateVerdict& verdict) {
  if (verdict.outcome == Outcome::pass) return judged(verdict) + ", none a regression";
  if (verdict.outcome == Outcome::regression)
    return fmt::format("{}; {}", names_of(verdict, Outcome::regression), judged(verdict));
  if (!verdict.comparable) return fmt::format("{}", fmt::join(verdict.why_not, "; "));
  return why_inconclusive(verdict);
}

std::string metric_sentence(const MetricResult& metric) {
  const std::string now = format_value(metric.kind, metric.candidate) + " a step";
  if (!metric.budget.empty()) {
    const std::string value = metric.candidate ? now + "; " : "";
    return fmt::format("{}: {}{}", metric.budget, value, metric.why);
  }
  std::string out = metric.name + ": ";
  if (metric.baseline || metric.candidate) out += metric.candidate ? now : "not known";
  if (metric.baseline) out += ", was " + format_metric(metric.kind, *metric.baseline);
  if (!metric.baseline && !metric.candidate) return out + metric.why;
  if (metric.ratio) out += fmt::format(" ({})", format_change(metric));
  return fmt::format("{}; {}{}", out, metric.why, further(metric.further_runs));
}

std::string counts_alone_text(const GateVerdict& verdict) {
  if (verdict.outcome != Outcome::inconclusive || !verdict.comparable) return "";
  std::vector<std::string> counts;
  for (const MetricResult& metric : verdict.metrics) {
    const bool is_count = metric.kind != MetricKind::time && metric.budget.empty();
    if (metric.outcome == Outcome::inconclusive && is_count) return "";
    if (metric.outcome == Outcome::pass && is_count && metric.name != "new_findings")
      counts.push_back(fmt::format("\"{}\"", metric.name));
  }
  if (counts.empty()) return "";
  return fmt::format(
      "Counts passed: one run a side decides them, where times need several. To judge counts "
      "alone, "
      "write a policy {{\"schema\": \"stepscope.policy/1\", \"metrics\": [{}]}} and name it with "
      "--policy FILE",
      fmt::join(counts, ", "));
}

std::string cause_sentence(const MetricCause& cause) {
  std::string out = cause.file.empty()
                        ? "no line known"
                        : fmt::format("{}:{}", shown_file(cause.file, cause.folder), cause.line);
  if (!cause.function.empty()) out += " in " + cause.function;
  if (!cause.file.empty()) out += direction_text(cause.direction);
  return fmt::format("{}: {}{}, {}", out,
                     cut(cause.operation.empty() ? std::string(meaning_of(cause.cause))
                                                 : short_kernel_name(cause.operation)),
                     cause_and_phase(cause), difference(cause));
}

const MetricCause* located_cause(const MetricResult& metric) {
  const auto found = std::find_if(metric.causes.begin(), metric.causes.end(),
                                  [](const MetricCause& cause) { return !cause.file.empty(); });
  return found == metric.causes.end() ? nullptr : &*found;
}

}  // namespace stepscope
