// SPDX-License-Identifier: Apache-2.0
// Device ops of the scope take `factor` times as long; where the scope's cause is the host's, its
// work does. What others make for the loop takes them `factor` times as long; taking it stays.
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void scale_work(Edit& edit);

}  // namespace stepscope
