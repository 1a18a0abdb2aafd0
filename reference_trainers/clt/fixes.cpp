// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/fixes.hpp"

#include <algorithm>
#include <array>

namespace stepscope::clt {
namespace {

constexpr std::array kFixes{
    Fix{"cached_encode", "encode and select once a step, and once an evaluation",
        &Fixes::cached_encode},
    Fix{"device_data",
        "all rows normalised and on the device from the start; with --data, batches copied whole "
        "from pinned memory and normalised there",
        &Fixes::device_data},
    Fix{"late_readback", "losses are read where a line is printed, in one copy",
        &Fixes::late_readback},
    Fix{"device_metrics", "evaluation stays on the device, one copy at its end",
        &Fixes::device_metrics},
    Fix{"fused_adam", "Adam over all parameters in one call", &Fixes::fused_adam},
    Fix{"sparse_step",
        "lists of active features instead of dense activations, no decoder gradient in memory",
        &Fixes::sparse_step},
};

std::string known_names() {
  std::string names;
  for (const Fix& fix : kFixes) names += (names.empty() ? "" : ", ") + std::string(fix.name);
  return names;
}

}  // namespace

std::span<const Fix> all_fixes() {
  return kFixes;
}

Fixes every_fix() {
  Fixes fixes;
  for (const Fix& fix : kFixes) fixes.*fix.on = true;
  return fixes;
}

Status switch_fixes(Fixes& fixes, const std::vector<std::string>& names, bool on) {
  for (const std::string& name : names) {
    const auto known = std::find_if(kFixes.begin(), kFixes.end(),
                                    [&](const Fix& fix) { return name == fix.name; });
    if (known == kFixes.end())
      return usage_error(name + ": there is no such fix; there are " + known_names());
    fixes.*known->on = on;
  }
  return Done{};
}

std::vector<std::string> names_of(const Fixes& fixes) {
  std::vector<std::string> names;
  for (const Fix& fix : kFixes) {
    if (fixes.*fix.on) names.emplace_back(fix.name);
  }
  return names;
}

}  // namespace stepscope::clt
