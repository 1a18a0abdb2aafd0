// SPDX-License-Identifier: Apache-2.0
// What a selection does with NaN.
#pragma once

namespace stepscope::kernels {

enum class NanPolicy {
  reject,  // never selected
  select,  // greatest of all keys and equal to each other, as in torch.topk
};

}  // namespace stepscope::kernels
