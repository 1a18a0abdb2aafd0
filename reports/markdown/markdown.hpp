// SPDX-License-Identifier: Apache-2.0
// Pieces of GitHub's Markdown. Names out of a trace stand in code spans or are escaped: they open
// no tag, no link, no column, mention nobody and refer to no issue.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::markdown {

std::string escaped(std::string_view words);
std::string code(std::string_view name);  // `name`, also inside a table; empty stays empty

enum class MarkdownAlign : std::uint8_t { left, right };

struct MarkdownColumn {
  std::string title;
  MarkdownAlign align = MarkdownAlign::right;
};

// A table with a blank line behind it. Cells are Markdown already. A column in which no row says
// anything is left out.
std::string table(const std::vector<MarkdownColumn>& columns,
                  const std::vector<std::vector<std::string>>& rows);

}  // namespace stepscope::markdown
