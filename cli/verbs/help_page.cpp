// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/pages.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// "../findings/host_sync.md#x" -> "host_sync"; empty where it is no page.
std::string_view page_name(std::string_view target) {
  target = target.substr(0, target.find('#'));
  target = target.substr(target.rfind('/') + 1);  // npos + 1 is 0
  return target.ends_with(".md") ? target.substr(0, target.size() - 3) : std::string_view();
}

bool is_finding(std::string_view id) {
  const auto pages = finding_pages();
  return std::any_of(pages.begin(), pages.end(),
                     [id](const FindingPage& page) { return page.id == id; });
}

// Returns the command that shows the target; empty where it is not compiled in.
std::string command_for(std::string_view target) {
  const std::string_view name = page_name(target);
  const bool in_design = target.find("design/") != std::string_view::npos ||
                         target.find("measurements/") != std::string_view::npos;
  if (name.empty() || in_design) return "";
  if (find_help_page(name) != nullptr) return "stepscope help " + std::string(name);
  return is_finding(name) ? "stepscope explain " + std::string(name) : "";
}

std::string shown_link(std::string_view text, std::string_view target) {
  const std::string command = command_for(target);
  if (command.empty()) return std::string(text);
  const bool only_names_it = page_name(text) == page_name(target);
  return only_names_it ? "'" + command + "'" : std::string(text) + " (" + command + ")";
}

}  // namespace

const HelpPage* find_help_page(std::string_view topic) {
  const auto pages = help_pages();
  const auto at = std::find_if(pages.begin(), pages.end(),
                               [topic](const HelpPage& page) { return page.topic == topic; });
  return at == pages.end() ? nullptr : &*at;
}

std::string title_of(const HelpPage& page) {
  std::string title(page.text.substr(0, page.text.find('\n')));
  title.erase(0, title.find_first_not_of("# "));
  std::erase(title, '`');
  return title;
}

std::string without_links(std::string_view markdown) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t middle = markdown.find("]("); middle != std::string_view::npos;
       middle = markdown.find("](", middle + 2)) {
    const std::size_t line = markdown.rfind('\n', middle) + 1;  // npos + 1 is 0
    const std::size_t open = markdown.rfind('[', middle);
    const std::size_t close = markdown.find_first_of(")\n", middle);
    const bool is_link = open != std::string_view::npos && open >= std::max(line, done) &&
                         close != std::string_view::npos && markdown[close] == ')';
    if (!is_link) continue;
    const bool is_picture = open > done && markdown[open - 1] == '!';
    out += markdown.substr(done, open - done - (is_picture ? 1 : 0));
    out += is_picture ? "Picture: " : "";
    out += shown_link(markdown.substr(open + 1, middle - open - 1),
                      markdown.substr(middle + 2, close - middle - 2));
    done = close + 1;
  }
  return out += markdown.substr(done);
}

}  // namespace stepscope
