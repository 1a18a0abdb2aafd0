// SPDX-License-Identifier: Apache-2.0
// The host no longer waits at these calls: the wait goes with its call, and so does the copy to the
// host right before it, whose only use is the value that was waited for. With `every` N, each N-th
// step keeps its waits (a log line now and then).
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void remove_sync(Edit& edit);

}  // namespace stepscope
