// SPDX-License-Identifier: Apache-2.0
// The last resort: the whole process as one window. No step time is claimed.
#pragma once

#include "core/steps/finders/loop.hpp"

namespace stepscope {

Loop find_whole_trace(const Activity& activity);

}  // namespace stepscope
