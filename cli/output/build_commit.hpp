// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stepscope {

// The commit that this binary was built from: "0e0693042", with "+" where the tree had changes
// that were not committed, "unknown commit" where there was no history.
const char* build_commit();

}  // namespace stepscope
