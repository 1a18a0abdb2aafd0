// SPDX-License-Identifier: Apache-2.0
// The group that the environment says this process is a rank of.
#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <memory>
#include <optional>

#include "core/support/result.hpp"
#include "reference_trainers/comm/comm.hpp"
#include "reference_trainers/comm/rank_environment.hpp"

namespace stepscope::trainers {

// Joins the group on the device that the rank trains on, sockets for a CPU and NCCL for a GPU;
// alone where there is no environment, or one of a single rank.
Result<std::unique_ptr<Comm>> join_group(const std::optional<RankEnvironment>& environment,
                                         at::Device device, std::chrono::milliseconds patience);

}  // namespace stepscope::trainers
