// SPDX-License-Identifier: Apache-2.0
// Rows of cells in columns as wide as their widest cell; two blanks between columns, two before the
// first of every row but the head. A cell is cut to 120 columns, and shows no control characters. A
// style of whole names cuts none: a longer cell then moves the rest of its own row alone. A column
// in which no row but the head says anything is left out.
#pragma once

#include <string>
#include <vector>

#include "reports/text/style.hpp"

namespace stepscope {

enum class Align : std::uint8_t { left, right };

struct TextCell {
  std::string text;
  Colour colour = Colour::plain;
};

class Grid {
 public:
  explicit Grid(std::vector<Align> columns) : columns_(std::move(columns)) {}

  void head(std::vector<std::string> titles);
  void row(std::vector<TextCell> cells) { rows_.push_back(std::move(cells)); }
  std::string render(const Style& style) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<TextCell>> rows_;
  bool has_head_ = false;
};

}  // namespace stepscope
