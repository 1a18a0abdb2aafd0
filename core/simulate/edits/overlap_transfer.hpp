// SPDX-License-Identifier: Apache-2.0
// Communication (or the scope's copies) runs on a stream of its own. It still waits for what stood
// before it; what follows goes on, but for the optimizer, which needs the result. Without an
// optimizer in the step the transfer ends the step, as all work does. Copies to the device instead
// run a step ahead (upload_ahead.hpp).
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void overlap_transfer(Edit& edit);

}  // namespace stepscope
