// SPDX-License-Identifier: Apache-2.0
// docs/findings/*.md, compiled in: what `stepscope explain ID` prints.
#pragma once

#include <span>
#include <string_view>

namespace stepscope {

struct FindingPage {
  std::string_view id;
  std::string_view text;  // Markdown
};

std::span<const FindingPage> finding_pages();  // by id

}  // namespace stepscope
