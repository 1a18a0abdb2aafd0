// SPDX-License-Identifier: Apache-2.0
// In a build without CUDA.
#include <c10/util/Exception.h>

#include "reference_trainers/common/step_graph.hpp"

namespace stepscope::trainers {

std::unique_ptr<StepGraph> make_step_graph() {
  TORCH_CHECK(
      false,
      "this build records no CUDA graphs: configure with -DSTEPSCOPE_WITH_CUDA=ON, or train "
      "--without cuda_graph");
}

}  // namespace stepscope::trainers
