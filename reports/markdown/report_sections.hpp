// SPDX-License-Identifier: Apache-2.0
// What the sections of a report in Markdown are made of. Internal to reports/markdown.
#pragma once

#include <string>
#include <vector>

#include "core/report/table.hpp"
#include "reports/markdown/markdown.hpp"

namespace stepscope::markdown {

inline std::string bold(const std::string& markdown) {
  return markdown.empty() ? "" : "**" + markdown + "**";
}

inline std::string paragraph(const std::string& markdown) {
  return markdown.empty() ? "" : markdown + "\n\n";
}

// The first `most` rows of the table, or nothing where it has none.
std::string table_rows(const report::Table& table, std::size_t most);
// The title and the table, or nothing where it has no rows.
std::string table_section(const report::Table& table);

}  // namespace stepscope::markdown
