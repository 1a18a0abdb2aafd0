// SPDX-License-Identifier: Apache-2.0
// The pages of the documentation that are compiled in, and how a terminal shows them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/wording/findings.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// The documentation, compiled in, so that an installed stepscope has it: docs/findings/*.md, which
// `stepscope explain ID` prints, and docs/*.md, which `stepscope help TOPIC` prints.

struct FindingPage {
  std::string_view id;
  std::string_view text;  // Markdown
};

struct HelpPage {
  std::string_view topic;  // the file's name, "gate"
  std::string_view text;   // Markdown
};

std::span<const FindingPage> finding_pages();  // by id
std::span<const HelpPage> help_pages();        // by topic

// One page of docs/findings, by its finding's id, or what docs/causes.md says of a cause.

// Error: usage, with the nearest id.
Result<FindingPage> finding_page(const std::string& id);

// The page of a finding, or the text of a cause.
Result<std::string> explained(const std::string& id);

// All of them, for formats that list rules beside findings.
std::vector<FindingRule> finding_rules();

// "# host_sync: the loop waits for the device" -> "the loop waits for the device"
std::string_view title_of(const FindingPage& page);

// The tables of docs/causes.md, compiled in: what `stepscope explain host.off_cpu` prints.

struct CausePage {
  std::string id;       // "host.off_cpu"
  std::string group;    // the heading that its row stands under
  std::string meaning;  // Markdown
  std::string helps;    // may be empty
};

std::vector<CausePage> cause_pages();
std::string text_of(const CausePage& page);

// Pages of the documentation as a terminal shows them.

// Null where there is no such page.
const HelpPage* find_help_page(std::string_view topic);

// "# The gate" -> "The gate", without the marks of code.
std::string title_of(const HelpPage& page);

// Markdown whose links to files became what one can type here: "[gate](gate.md#policy)" becomes
// "gate (stepscope help gate)"; where a link leads to a file of the source tree, its text stays.
std::string without_links(std::string_view markdown);

}  // namespace stepscope
