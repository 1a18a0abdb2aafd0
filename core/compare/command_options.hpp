// SPDX-License-Identifier: Apache-2.0
// Differences of two commands' options about the size of their work: "--batch 64" against "--batch
// 128".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepscope::compare_parts {

struct OptionDifference {
  std::string option;  // "--batch"
  std::string a;       // "absent" where it was not given, "given" where it takes no value
  std::string b;
  bool size = false;  // its name says that it sets the amount or precision of work
};

// Options in the forms "--name value", "--name=value" and "--flag"; of others nothing is said.
std::vector<OptionDifference> option_differences(std::string_view a, std::string_view b);

}  // namespace stepscope::compare_parts
