// SPDX-License-Identifier: Apache-2.0
// Writes what `stepscope ladder` asks a trainer for with --list-switches: the switches on its
// ladder, in order, and its presets, as one line of JSON, stepscope.trainer/1.
#pragma once

#include <string>
#include <vector>

#include "reference_trainers/common/switches.hpp"
#include "reference_trainers/common/trainer_options.hpp"

namespace stepscope::trainers {

struct ListedSwitch {
  std::string id, name, summary;
  std::string needs;  // the name of what it brings along; may be empty
};

std::string switches_json(const std::string& model, const std::vector<ListedSwitch>& ladder,
                          const std::vector<PresetName>& presets);

// Leaves out switches that stand beside the ladder.
template <class Set>
std::vector<ListedSwitch> listed(const Switches<Set>& switches) {
  std::vector<ListedSwitch> out;
  for (const Switch<Set>& one : switches.all())
    if (*one.id != '\0') out.push_back({one.id, one.name, one.summary, switches.needed_by(one)});
  return out;
}

void add_list_switches(CLI::App& app, bool& lists);

}  // namespace stepscope::trainers
