// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/report/documents.hpp"
#include "reports/text/sections.hpp"
#include "reports/text/text_pages.hpp"

namespace stepscope {
namespace {

using text_sections::wrapped;

std::string what_if_head(const report::WhatIfReport& whatif, const Style& style) {
  std::string out = fmt::format("{}\n{}\n", fmt::join(whatif.facts, style.dot()), whatif.check);
  if (!whatif.not_reliable.empty())
    out += wrapped(style.paint(Colour::red, "NOT RELIABLE") + "  ", whatif.not_reliable, style,
                   Colour::plain);
  return out + "\n";
}

// Sentences under their title, which stands before the first.
std::string titled_sentences(const std::string& title, const std::vector<std::string>& sentences,
                             const Style& style) {
  std::string out;
  for (const std::string& sentence : sentences)
    out += wrapped(out.empty() ? "\n" + title : std::string(title.size(), ' '), sentence, style,
                   Colour::dim);
  return out;
}

}  // namespace

std::string text_whatif(const WhatIf& whatif, const Style& style) {
  const report::WhatIfReport value = report::whatif_report(whatif);
  const std::string table =
      text_sections::table_text(value.fixes, {.rows = static_cast<std::size_t>(-1)}, style);
  return what_if_head(value, style) + (value.no_fixes.empty() ? table : value.no_fixes + "\n") +
         titled_sentences("Assumed: ", value.assumptions, style) +
         titled_sentences("Note: ", value.notes, style);
}

}  // namespace stepscope
