// SPDX-License-Identifier: Apache-2.0
// How the ranks find each other: through LibTorch's TCPStore at the environment's address and port,
// where rank 0 leaves the port of its own and a number that only its group knows.
#pragma once

#include <chrono>
#include <memory>

#include "core/support/result.hpp"
#include "reference_trainers/comm/links.hpp"
#include "reference_trainers/comm/rank_environment.hpp"

namespace stepscope::trainers {

// Connects a group of two ranks or more; its links time out after `patience`. An Error names the
// ranks that did not come within `to_meet`.
Result<std::unique_ptr<Links>> meet(const RankEnvironment& environment,
                                    std::chrono::milliseconds to_meet,
                                    std::chrono::milliseconds patience);

}  // namespace stepscope::trainers
