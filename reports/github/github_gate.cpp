// SPDX-License-Identifier: Apache-2.0
#include "reports/github/github_gate.hpp"

#include <fmt/format.h>

#include "reports/markup/markup.hpp"
#include "reports/wording/gate.hpp"
#include "reports/wording/source_path.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kMostShown = 10;  // of a level, in a step

std::string escaped_message(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '%') out += "%25";
    if (c == '\r') out += "%0D";
    if (c == '\n') out += "%0A";
    if (c != '%' && c != '\r' && c != '\n') out += c;
  }
  return out;
}

std::string escaped_property(std::string_view text) {
  std::string out;
  for (const char c : escaped_message(text)) {
    if (c == ':') out += "%3A";
    if (c == ',') out += "%2C";
    if (c != ':' && c != ',') out += c;
  }
  return out;
}

std::string annotation(const MetricResult& metric, std::string_view root) {
  const bool failed = metric.outcome == Outcome::regression;
  std::string place;
  if (const MetricCause* cause = located_cause(metric)) {
    place = "file=" + escaped_property(path_below(cause->file, root)) + ",";
    if (cause->line > 0) place += fmt::format("line={},", cause->line);
  }
  std::string message = metric_sentence(metric);
  for (const MetricCause& cause : metric.causes) message += "\n" + cause_sentence(cause);
  return fmt::format(
      "::{} {}title={}::{}\n", failed ? "error" : "warning", place,
      escaped_property(fmt::format("{}: {}", failed ? "Regression" : "Inconclusive", metric.name)),
      escaped_message(message));
}

std::string more(const char* level, const std::vector<const MetricResult*>& rest) {
  std::string names;
  for (const MetricResult* metric : rest) names += (names.empty() ? "" : ", ") + metric->name;
  return fmt::format("::{} title=stepscope gate::{} more: {}\n", level, rest.size(),
                     escaped_message(names));
}

std::string of_level(const GateVerdict& verdict, Outcome wanted, const char* level,
                     std::size_t most, std::string_view root) {
  std::vector<const MetricResult*> all;
  for (const MetricResult& metric : verdict.metrics)
    if (metric.outcome == wanted) all.push_back(&metric);
  const std::size_t shown = all.size() <= most ? all.size() : most - 1;
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) out += annotation(*all[i], root);
  if (shown == all.size()) return out;
  return out + more(level, {all.begin() + static_cast<std::ptrdiff_t>(shown), all.end()});
}

}  // namespace

std::string github_annotations(const GateVerdict& verdict, std::string_view root) {
  std::string out;
  if (!verdict.comparable)
    out += fmt::format("::error title=Not comparable::{}\n",
                       escaped_message(fmt::format("{}", fmt::join(verdict.why_not, "\n"))));
  const std::size_t errors = out.empty() ? kMostShown : kMostShown - 1;
  out += of_level(verdict, Outcome::regression, "error", errors, root) +
         of_level(verdict, Outcome::inconclusive, "warning", kMostShown, root);
  if (!out.empty()) return out;
  return fmt::format("::notice title=stepscope gate::{}: {}\n", gate_title(verdict),
                     escaped_message(gate_summary(verdict)));
}

}  // namespace stepscope
