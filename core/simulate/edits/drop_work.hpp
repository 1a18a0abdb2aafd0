// SPDX-License-Identifier: Apache-2.0
// This phase or line does nothing any more: its host work, its calls, its waits and its device work
// go.
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void drop_work(Edit& edit);

}  // namespace stepscope
