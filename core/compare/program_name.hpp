// SPDX-License-Identifier: Apache-2.0
// Which program a command line runs, as a name that two runs of it share: "train" for
// "python3 -u examples/train.py --steps 5" and for "./build/train". Internal to core/compare.
#pragma once

#include <string>
#include <string_view>

namespace stepscope::compare_parts {

// The first script ("x.py"), else what "-m" names, else the executable, each without folder and
// ending. Empty where the command is, and where it names an interpreter or a launcher alone.
std::string program_name(std::string_view command);

// One begins with the other, or both with the same half.
bool are_alike(std::string_view a, std::string_view b);

}  // namespace stepscope::compare_parts
