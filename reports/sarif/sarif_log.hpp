// SPDX-License-Identifier: Apache-2.0
// The parts of a SARIF 2.1.0 log that every writer of one needs. Internal to reports/sarif.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace stepscope::sarif {

using Json = nlohmann::ordered_json;

Json text_json(std::string_view text);
// Without a line where it is 0. `root`: what paths are made relative to.
Json location_json(std::string_view file, std::uint32_t line, std::string_view root);
Json notification_json(const char* level, std::string_view text);

// One run of the tool, written out. Bytes that are no UTF-8 are replaced.
std::string log_text(const Json& rules, const Json& results, const Json& notifications);

}  // namespace stepscope::sarif
