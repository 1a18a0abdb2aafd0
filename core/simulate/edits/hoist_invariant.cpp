// SPDX-License-Identifier: Apache-2.0
// This work runs once, before the loop: in the steps it is no more.
#include "core/simulate/edits/edits.hpp"

namespace stepscope {

void hoist_invariant(Edit& edit) {
  drop_work(edit);
  if (edit.touched > 0)
    edit.assume("what the line computes is the same in every step; the trace cannot show that");
}

}  // namespace stepscope
