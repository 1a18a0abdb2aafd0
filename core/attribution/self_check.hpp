// SPDX-License-Identifier: Apache-2.0
// The invariants that every partition must keep, checked on every trace by other means than those
// that made it. Each broken one is a sentence with its numbers; a sound partition gives none.
#pragma once

#include <string>
#include <vector>

#include "core/attribution/attribution.hpp"

namespace stepscope {

inline constexpr double kUnknownBudget = 0.01;

std::vector<std::string> check_invariants(const Steps& steps, const Partition& partition);

// A sentence where more than the budget of the steady steps' wall time has no explanation: nothing
// is contradicted then, but a reader must know. Without a steady step, all steps count.
std::vector<std::string> check_unknown_budget(const Steps& steps, const Partition& partition);

}  // namespace stepscope
