// SPDX-License-Identifier: Apache-2.0
// Copies from pageable host memory become copies from pinned memory with non_blocking: the call
// returns as every asynchronous copy's does, a synchronisation right behind it goes, and the copy
// runs at the speed of pinned copies.
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void pin_memory(Edit& edit);

}  // namespace stepscope
