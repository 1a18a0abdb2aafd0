// SPDX-License-Identifier: Apache-2.0
// The documentation, compiled in, so that an installed stepscope has it: docs/findings/*.md, which
// `stepscope explain ID` prints, and docs/*.md, which `stepscope help TOPIC` prints.
#pragma once

#include <span>
#include <string_view>

namespace stepscope {

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

}  // namespace stepscope
