// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/launch.cuh"

namespace stepscope::kernels::batch_topk_device {

template Status launch_for<Float16>(const Parameters&, bool, RowLayout, const DeviceLimits&,
                                    cudaStream_t);

}  // namespace stepscope::kernels::batch_topk_device
