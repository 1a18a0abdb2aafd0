// SPDX-License-Identifier: Apache-2.0
// What each call of a graph waits for, by its meaning and not only by what it met when it was
// recorded, and what its return takes after that.
#pragma once

#include "core/simulate/graph/device_tasks.hpp"

namespace stepscope {

void find_waits(const WalkedProcess& walked, DeviceTasks& device, TaskGraph& graph);

}  // namespace stepscope
