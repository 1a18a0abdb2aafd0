// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/summary/summary.hpp"

namespace stepscope {

// The folder that the run was started in; empty where its trace does not say it.
inline std::string_view folder_of(const RunFacts& run) {
  for (const auto& [name, value] : run.versions) {
    if (name == "folder") return value;
  }
  return "";
}

}  // namespace stepscope
