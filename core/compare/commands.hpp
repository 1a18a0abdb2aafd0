// SPDX-License-Identifier: Apache-2.0
// What two runs' command lines say about their programs. Internal to core/compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepscope::compare_parts {

// The first script ("x.py"), else what "-m" names, else the executable, each without folder and
// ending. Empty where the command is, and where it names an interpreter or a launcher alone.
std::string program_name(std::string_view command);

// One begins with the other, or both with the same half.
bool are_alike(std::string_view a, std::string_view b);

struct OptionDifference {
  std::string option;  // "--batch"
  std::string a;       // "absent" where it was not given, "given" where it takes no value
  std::string b;
  bool size = false;  // its name says that it sets the amount or precision of work
};

// Options in the forms "--name value", "--name=value" and "--flag"; of others nothing is said.
std::vector<OptionDifference> option_differences(std::string_view a, std::string_view b);

}  // namespace stepscope::compare_parts
