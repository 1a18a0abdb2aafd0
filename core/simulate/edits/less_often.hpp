// SPDX-License-Identifier: Apache-2.0
// This phase or line runs in one of `every` steps of those in which it runs now. Where the replayed
// steps hold fewer of them than that, each keeps its share of the time and waits for nothing.
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void less_often(Edit& edit);

}  // namespace stepscope
