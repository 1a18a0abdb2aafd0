// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/program/describe.hpp"

#include <nlohmann/json.hpp>

namespace stepscope::trainers {

std::string describe_json(const std::string& model, const std::vector<DescribedSwitch>& ladder,
                          const std::vector<DescribedPreset>& presets) {
  nlohmann::ordered_json rungs = nlohmann::json::array(), sizes = rungs;
  for (const DescribedSwitch& one : ladder) {
    nlohmann::ordered_json rung{{"id", one.id}, {"name", one.name}, {"summary", one.summary}};
    if (!one.needs.empty()) rung["needs"] = one.needs;
    rungs.push_back(rung);
  }
  for (const DescribedPreset& preset : presets)
    sizes.push_back({{"name", preset.name}, {"summary", preset.summary}});
  return nlohmann::ordered_json{
      {"schema", "stepscope.trainer/1"}, {"model", model}, {"rungs", rungs}, {"presets", sizes}}
      .dump();
}

}  // namespace stepscope::trainers
