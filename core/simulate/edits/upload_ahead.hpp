// SPDX-License-Identifier: Apache-2.0
// The scope's copies to the device run a step ahead on a stream of their own, into a second buffer:
// a copy waits for nothing on the device, and what used it awaits the one that was issued the step
// before. The part of overlap_transfer that is about uploads.
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

bool is_upload(const Edit& edit, const DeviceTask& op);
void upload_ahead(Edit& edit);

}  // namespace stepscope
