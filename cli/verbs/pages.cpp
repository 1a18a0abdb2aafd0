// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/pages.hpp"

#include <fmt/format.h>

#include <algorithm>

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

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// "| a | b |" as "a", "b".
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 1; at < line.size();) {
    const std::size_t end = std::min(line.find('|', at), line.size());
    out.push_back(trimmed(line.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

// "`host.compute.gemm`, `.reduce`": a name that begins with a point shares what stands before it.
std::vector<std::string> ids_of(std::string_view cell) {
  std::vector<std::string> out;
  for (std::size_t at = cell.find('`'); at != std::string_view::npos; at = cell.find('`', at)) {
    const std::size_t end = cell.find('`', at + 1);
    if (end == std::string_view::npos) break;
    std::string id(cell.substr(at + 1, end - at - 1));
    if (id.starts_with('.') && !out.empty())
      id.insert(0, out.front().substr(0, out.front().rfind('.')));
    out.push_back(std::move(id));
    at = end + 1;
  }
  return out;
}

}  // namespace

std::vector<CausePage> cause_pages() {
  std::vector<CausePage> out;
  std::string group;
  const HelpPage* const document = find_help_page("causes");
  std::string_view rest = document == nullptr ? std::string_view() : document->text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with("## ")) group = line.substr(3);
    if (!line.starts_with("| `")) continue;
    const std::vector<std::string_view> cells = cells_of(line);
    for (std::string& id : ids_of(cells[0]))
      out.push_back({std::move(id), group, std::string(cells.size() > 1 ? cells[1] : ""),
                     std::string(cells.size() > 2 ? cells[2] : "")});
  }
  return out;
}

std::string text_of(const CausePage& page) {
  std::string out = fmt::format("# {}: {}\n\n{}.\n", page.id, page.meaning, page.group);
  if (!page.helps.empty()) out += fmt::format("\nWhat usually helps: {}.\n", page.helps);
  return out + "\n'stepscope help causes' shows all causes.\n";
}

}  // namespace stepscope
