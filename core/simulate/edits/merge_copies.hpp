// SPDX-License-Identifier: Apache-2.0
// The copies that a step makes at a place become one: one call, one copy of all their bytes, one
// wait. The host work between them at that line goes too, for it prepares one copy each.
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void merge_copies(Edit& edit);

}  // namespace stepscope
