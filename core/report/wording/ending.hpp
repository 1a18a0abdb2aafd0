// SPDX-License-Identifier: Apache-2.0
// How the command ended, where it failed: the reader of a report should not take half a run for a
// whole one.
#pragma once

#include <string>

#include "core/summary/summary.hpp"

namespace stepscope {

// "the program ended with status 1 after step 12, the last one found"; empty where it ended well,
// and where the trace does not record it.
std::string ending_text(const Summary& summary);

}  // namespace stepscope
