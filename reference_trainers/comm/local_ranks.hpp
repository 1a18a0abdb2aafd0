// SPDX-License-Identifier: Apache-2.0
// Starts a program again as the ranks of one group on this machine, and waits for them. Where one
// fails, the others get a few seconds to say why they end, then are killed; where this process
// ends, its ranks do.
#pragma once

#include <functional>
#include <string>

#include "core/support/result.hpp"

namespace stepscope::trainers {

// `arguments`: the program's own, its name first. 0 where every rank's exit status was 0; else that
// of the first rank that failed, 1 where a signal ended it. `say` gets a line that names the rank.
Result<int> run_local_ranks(int count, char* const* arguments,
                            const std::function<void(const std::string&)>& say);

}  // namespace stepscope::trainers
