// SPDX-License-Identifier: Apache-2.0
// stepscope explain [ID]: what a finding means, how it is priced, and what to do about it.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/output/failure.hpp"
#include "cli/verbs/finding_page.hpp"
#include "cli/verbs/verbs.hpp"

namespace stepscope {
namespace {

constexpr const char* kExplainExamples =
    "Examples:\n"
    "  stepscope explain                list the findings\n"
    "  stepscope explain host_sync      what it is, how it is priced, before and after\n"
    "A report names findings by these ids.";

int list_pages() {
  for (const FindingPage& page : finding_pages()) fmt::print("{:<24}{}\n", page.id, title_of(page));
  return kExitPass;
}

int explain(const std::string& id) {
  if (id.empty()) return list_pages();
  const auto page = finding_page(id);
  if (!page) return fail("explain", "", page.error());
  fmt::print("{}", page->text);
  return kExitPass;
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
