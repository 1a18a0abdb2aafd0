// SPDX-License-Identifier: Apache-2.0
// findings_of_cases FOLDER: what the rules say of each FOLDER/NAME.case (a trace as text), one JSON
// object a line. tests/findings_corpus judges it.
#include <fmt/format.h>

#include <cstdio>

#include "core/findings/all_findings.hpp"
#include "tests/core/findings/json_text.hpp"
#include "tests/support/text_case.hpp"

namespace stepscope::testing {
namespace {

using exporting::json_number;
std::string text_of(std::string_view text) {
  return exporting::quoted(text);
}

std::string place_of(const Finding& finding) {
  if (finding.places.empty()) return "";
  return fmt::format("{}:{}", finding.places[0].file, finding.places[0].line);
}

std::string microseconds(double ns) {
  return json_number(ns / 1000);
}

std::string forecast_of(const Finding& finding) {
  if (!finding.forecast) return R"("forecast_us": null)";
  return fmt::format(R"("forecast_us": {}, "low_us": {}, "high_us": {})",
                     microseconds(finding.forecast->ns_per_step),
                     microseconds(finding.forecast->low_ns_per_step),
                     microseconds(finding.forecast->high_ns_per_step));
}

std::string json_of(const std::vector<Finding>& found) {
  std::string out;
  for (const Finding& one : found)
    out += fmt::format(
        R"({}{{"id": "{}", "severity": "{}", "title": {}, "place": {}, "evidence": {}, )"
        R"("caused_us": {}, "ceiling_us": {}, {}}})",
        out.empty() ? "" : ", ", one.id, name_of(one.severity), text_of(one.title),
        text_of(place_of(one)), one.evidence.size(), microseconds(one.caused_ns_per_step),
        microseconds(one.ceiling_ns_per_step), forecast_of(one));
  return "[" + out + "]";
}

std::string json_of(const std::vector<NotFound>& list) {
  std::string out;
  for (const NotFound& one : list)
    out += fmt::format(R"({}{{"id": "{}", "reason": {}}})", out.empty() ? "" : ", ", one.id,
                       text_of(one.reason));
  return "[" + out + "]";
}

Result<std::string> judge(const std::filesystem::path& path) {
  const Result<TextCase> read = read_case(path);
  if (!read) return read.error();
  const Result<Steps> steps = read->steps ? Result<Steps>(*read->steps) : find_steps(read->trace);
  if (!steps) return steps.error();
  const Result<Attribution> attribution = attribute(read->trace, *steps);
  if (!attribution) return attribution.error();
  const Summary summary = summarize(read->trace, *steps, *attribution);
  const Findings all = find_all_replayed(read->trace, *steps, *attribution, summary);
  return fmt::format(
      R"({{"case": "{}", "step_us": {}, "found": {}, "no_gain": {}, "cleared": {}, "abstained": {}, "no_forecast": {}}})",
      path.stem().string(), microseconds(summary.partition.wall_ns_per_step()), json_of(all.found),
      json_of(all.no_gain), json_of(all.cleared), json_of(all.abstained), text_of(all.no_forecast));
}

}  // namespace
}  // namespace stepscope::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: findings_of_cases FOLDER\n");
    return 2;
  }
  for (const std::filesystem::path& path : stepscope::testing::list_cases(argv[1])) {
    const auto answer = stepscope::testing::judge(path);
    if (!answer) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(), answer.error().message.c_str());
      return 1;
    }
    std::printf("%s\n", answer->c_str());
  }
  return 0;
}
