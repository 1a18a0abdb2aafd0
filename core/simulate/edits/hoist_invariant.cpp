// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/edits/hoist_invariant.hpp"

#include "core/simulate/edits/drop_work.hpp"

namespace stepscope {

void hoist_invariant(Edit& edit) {
  drop_work(edit);
  if (edit.touched > 0)
    edit.assume("what the line computes is the same in every step; the trace cannot show that");
}

}  // namespace stepscope
