// SPDX-License-Identifier: Apache-2.0
// Where a checkpoint lies: in FILE, or, of ranks that share features, in FILE.rank0of2 and so on.
#pragma once

#include <string>

#include "core/support/result.hpp"

namespace stepscope::clt {

std::string part_path(const std::string& checkpoint, int rank, int ranks);

// An Error where so many ranks find no checkpoint of that name, but a folder or what another number
// of ranks wrote: it says how to resume. A file that is just missing is no Error here.
Status check_found(const std::string& checkpoint, int ranks);

}  // namespace stepscope::clt
