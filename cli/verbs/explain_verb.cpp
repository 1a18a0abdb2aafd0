// SPDX-License-Identifier: Apache-2.0
// stepscope explain [ID]: what a finding or a cause means, and what to do about it.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/output/failure.hpp"
#include "cli/verbs/pages.hpp"
#include "cli/verbs/verbs.hpp"

namespace stepscope {
namespace {

constexpr const char* kExplainExamples =
    "Examples:\n"
    "  stepscope explain                list the findings and the causes\n"
    "  stepscope explain host_sync      what it is, how it is priced, before and after\n"
    "  stepscope explain host.off_cpu   a cause: what the name means, and what usually helps\n"
    "A report names findings and causes by these ids.";

int list_pages() {
  for (const FindingPage& page : finding_pages()) fmt::print("{:<26}{}\n", page.id, title_of(page));
  fmt::print("\nCauses, which own the time of a step\n");
  for (const CausePage& page : cause_pages()) fmt::print("{:<26}{}\n", page.id, page.meaning);
  return kExitPass;
}

int explain(const std::string& id) {
  if (id.empty()) return list_pages();
  const auto text = explained(id);
  if (!text) return fail("explain", "", text.error());
  fmt::print("{}", without_links(*text));
  return kExitPass;
}

}  // namespace

void add_explain_verb(CLI::App& app, int& status) {
  auto id = std::make_shared<std::string>();
  CLI::App* verb =
      app.add_subcommand("explain", "What a finding or a cause means, and what to do about it");
  verb->add_option("ID", *id,
                   "a finding's or a cause's id, as a report prints it; without one: the list");
  verb->footer(kExplainExamples);
  verb->callback([id, &status] { status = explain(*id); });
}

}  // namespace stepscope
