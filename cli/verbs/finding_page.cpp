// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/pages.hpp"

#include <fmt/format.h>

#include "core/support/words.hpp"

namespace stepscope {

Result<FindingPage> finding_page(const std::string& id) {
  std::vector<std::string_view> ids;
  for (const FindingPage& page : finding_pages()) {
    if (page.id == id) return page;
    ids.push_back(page.id);
  }
  const std::vector<CausePage> causes = cause_pages();
  for (const CausePage& cause : causes) ids.push_back(cause.id);
  const std::string_view near = nearest(id, ids);
  const std::string hint = near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
  return usage_error(
      fmt::format("'{}' is no finding and no cause; {}'stepscope explain' lists both", id, hint));
}

Result<std::string> explained(const std::string& id) {
  for (const CausePage& cause : cause_pages())
    if (cause.id == id) return text_of(cause);
  const auto page = finding_page(id);
  if (!page) return page.error();
  return std::string(page->text);
}

std::vector<FindingRule> finding_rules() {
  std::vector<FindingRule> out;
  for (const FindingPage& page : finding_pages())
    out.push_back({page.id, title_of(page), page.text});
  return out;
}

std::string_view title_of(const FindingPage& page) {
  const std::string_view heading = page.text.substr(0, page.text.find('\n'));
  const std::size_t colon = heading.find(": ");
  return colon == std::string_view::npos ? heading : heading.substr(colon + 2);
}

}  // namespace stepscope
