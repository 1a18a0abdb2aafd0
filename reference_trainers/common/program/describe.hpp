// SPDX-License-Identifier: Apache-2.0
// What `stepscope ladder` asks a trainer for with --describe: the switches on its ladder and its
// presets, as one line of JSON, stepscope.trainer/1.
#pragma once

#include <string>
#include <vector>

#include "reference_trainers/common/switches.hpp"

namespace stepscope::trainers {

struct DescribedSwitch {
  std::string id, name, summary;
  std::string needs;  // the name of what it brings along; may be empty
};

struct DescribedPreset {
  std::string name, summary;
};

std::string describe_json(const std::string& model, const std::vector<DescribedSwitch>& ladder,
                          const std::vector<DescribedPreset>& presets);

// Switches that stand beside the ladder are left out.
template <class Set>
std::vector<DescribedSwitch> described(const Switches<Set>& switches) {
  std::vector<DescribedSwitch> out;
  for (const Switch<Set>& one : switches.all())
    if (*one.id != '\0') out.push_back({one.id, one.name, one.summary, switches.needed_by(one)});
  return out;
}

}  // namespace stepscope::trainers
