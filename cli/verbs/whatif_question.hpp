// SPDX-License-Identifier: Apache-2.0
// What `stepscope whatif` asks of a run's replay: fixes as users write them, or those that suit.
#pragma once

#include <string>
#include <vector>

#include "cli/input/loaded_run.hpp"
#include "core/simulate/whatif.hpp"

namespace stepscope {

struct WhatifRequest {
  std::vector<std::string> fixes;  // empty: all that apply, ranked
  std::size_t apply_best = 0;
};

// `findings` are the run's, with the forecasts of this simulator. Errors: usage, of a fix that
// cannot be read or finds no place.
Result<WhatIf> ask_whatif(const WhatifRequest& request, const LoadedRun& run,
                          const Findings& findings, const Simulator& simulator);

}  // namespace stepscope
