// SPDX-License-Identifier: Apache-2.0
// batch_topk as on a device with these limits, so that tests see what it does where a block can
// have less shared memory than this device gives.
#pragma once

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/common/launch.cuh"

namespace stepscope::kernels {

// No limit may be above the device's own.
Status batch_topk_on(const BatchTopkArguments& arguments, const DeviceLimits& device,
                     CUstream_st* stream);

}  // namespace stepscope::kernels
