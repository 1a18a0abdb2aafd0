// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_report.hpp"

#include <algorithm>

#include "reports/text/one_line.hpp"
#include "reports/text/sections.hpp"

namespace stepscope {

namespace text_sections {

Page make_page(const Summary& summary, const Style& style) {
  return {scale_of(summary), style};
}

constexpr std::size_t kLongestWord = 4 * kColumns;

std::string wrapped(std::string_view first, std::string_view raw, const Style& style,
                    Colour colour) {
  const std::string clean = one_line(raw);
  std::string_view text = clean;
  const std::size_t indent = columns_of(first);
  std::string out(first);
  std::size_t column = indent;
  std::string line;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string word = style.cut_end(text.substr(0, blank), kLongestWord);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (column > indent && column + 1 + columns_of(word) > kColumns) {
      out += style.paint(colour, line) + "\n" + std::string(indent, ' ');
      line.clear();
      column = indent;
    }
    if (!line.empty()) line += ' ';
    column += columns_of(word) + (line.empty() ? 0 : 1);
    line += word;
  }
  return out + style.paint(colour, line) + "\n";
}

}  // namespace text_sections

std::string text_report(const Summary& summary, const Style& style) {
  using namespace text_sections;
  const Page page = make_page(summary, style);
  std::string out;
  for (const auto section :
       {broken, headline, verdict, partition, findings, devices, phases, lines, kernels, host_ops,
        transfers, health, sections, long_steps, steps, trust}) {
    const std::string text = section(page);
    if (!out.empty() && !text.empty()) out += "\n";
    out += text;
  }
  return out;
}

}  // namespace stepscope
