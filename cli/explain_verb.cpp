// SPDX-License-Identifier: Apache-2.0
// stepscope explain [ID]: what a finding means, how it is priced, and what to do about it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/failure.hpp"
#include "cli/finding_pages.hpp"
#include "cli/verbs.hpp"
#include "core/support/suggestion.hpp"

namespace stepscope {
namespace {

constexpr const char* kExplainExamples =
    "Examples:\n"
    "  stepscope explain                list the findings\n"
    "  stepscope explain host_sync      what it is, how it is priced, before and after\n"
    "A report names findings by these ids.";

// "# host_sync: the loop waits for the device" -> "the loop waits for the device"
std::string_view title_of(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  const std::size_t colon = text.find(": ");
  return colon == std::string_view::npos ? text : text.substr(colon + 2);
}

int list_pages() {
  for (const FindingPage& page : finding_pages())
    fmt::print("{:<24}{}\n", page.id, title_of(page.text));
  return kExitPass;
}

int explain(const std::string& id) {
  if (id.empty()) return list_pages();
  const auto pages = finding_pages();
  const auto page = std::find_if(pages.begin(), pages.end(),
                                 [&id](const FindingPage& one) { return one.id == id; });
  if (page != pages.end()) {
    fmt::print("{}", page->text);
    return kExitPass;
  }
  std::vector<std::string_view> ids;
  for (const FindingPage& one : pages) ids.push_back(one.id);
  const std::string_view near = nearest(id, ids);
  const std::string hint = near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
  return fail(
      "explain", "",
      usage_error(fmt::format("'{}' is no finding; {}'stepscope explain' lists them", id, hint)));
}

}  // namespace

void add_explain_verb(CLI::App& app, int& status) {
  auto id = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("explain", "What a finding means, and what to do about it");
  verb->add_option("ID", *id, "a finding's id, as a report prints it; without one: the list");
  verb->footer(kExplainExamples);
  verb->callback([id, &status] { status = explain(*id); });
}

}  // namespace stepscope
