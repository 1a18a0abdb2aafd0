// SPDX-License-Identifier: Apache-2.0
// This work runs once, before the loop: in the steps it is no more.
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void hoist_invariant(Edit& edit);

}  // namespace stepscope
