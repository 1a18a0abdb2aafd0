// SPDX-License-Identifier: Apache-2.0
#include "reports/sarif/sarif_log.hpp"

#include "core/report/wording/shown_path.hpp"

namespace stepscope::sarif {

Json text_json(std::string_view text) {
  return {{"text", text}};
}

Json location_json(std::string_view file, std::uint32_t line, std::string_view root) {
  Json location = {{"artifactLocation", {{"uri", uri_of(path_below(file, root))}}}};
  if (line > 0) location["region"] = {{"startLine", line}};
  return {{"physicalLocation", location}};
}

Json notification_json(const char* level, std::string_view text) {
  return {{"level", level}, {"message", text_json(text)}};
}

std::string log_text(const Json& rules, const Json& results, const Json& notifications) {
  const Json driver = {{"name", "stepscope"}, {"version", STEPSCOPE_VERSION}, {"rules", rules}};
  const Json invocation = {{"executionSuccessful", true},
                           {"toolExecutionNotifications", notifications}};
  const Json run = {{"tool", {{"driver", driver}}},
                    {"invocations", Json::array({invocation})},
                    {"columnKind", "unicodeCodePoints"},
                    {"results", results}};
  const Json out = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({run})}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stepscope::sarif
