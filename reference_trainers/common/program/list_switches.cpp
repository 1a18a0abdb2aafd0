// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/program/list_switches.hpp"

#include <nlohmann/json.hpp>

namespace stepscope::trainers {

std::string switches_json(const std::string& model, const std::vector<ListedSwitch>& ladder,
                          const std::vector<PresetName>& presets) {
  nlohmann::ordered_json rungs = nlohmann::json::array(), sizes = rungs;
  for (const ListedSwitch& one : ladder) {
    nlohmann::ordered_json rung{{"id", one.id}, {"name", one.name}, {"summary", one.summary}};
    if (!one.needs.empty()) rung["needs"] = one.needs;
    rungs.push_back(rung);
  }
  for (const PresetName& preset : presets)
    sizes.push_back({{"name", preset.name}, {"summary", preset.summary}});
  return nlohmann::ordered_json{
      {"schema", "stepscope.trainer/1"}, {"model", model}, {"rungs", rungs}, {"presets", sizes}}
      .dump();
}

void add_list_switches(CLI::App& app, bool& lists) {
  app.add_flag("--list-switches", lists,
               "Print the switches on the ladder and the presets as one line of JSON, and do not "
               "train");
}

}  // namespace stepscope::trainers
