// SPDX-License-Identifier: Apache-2.0
// The optimizer's kernels become few: a fused optimizer launches some of them for all parameters
// and reads and writes each value once. Without a scope, that is the work of cause gpu.optimizer
// and the phase in which it is launched.
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void fuse_optimizer(Edit& edit);

}  // namespace stepscope
