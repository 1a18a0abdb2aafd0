// SPDX-License-Identifier: Apache-2.0
// The tables of docs/causes.md, compiled in: what `stepscope explain host.off_cpu` prints.
#pragma once

#include <string>
#include <vector>

namespace stepscope {

struct CausePage {
  std::string id;       // "host.off_cpu"
  std::string group;    // the heading that its row stands under
  std::string meaning;  // Markdown
  std::string helps;    // may be empty
};

std::vector<CausePage> cause_pages();
std::string text_of(const CausePage& page);

}  // namespace stepscope
