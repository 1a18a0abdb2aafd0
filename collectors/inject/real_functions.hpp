// SPDX-License-Identifier: Apache-2.0
// The functions that ours stand before under LD_PRELOAD.
#pragma once

namespace stepscope::inject {

// Returns the function of the first mapped library that has it and `library` in its path, as "/libc10.so";
// null where there is none. Looked up at each call.
void* real_function(const char* name, const char* library) noexcept;

}  // namespace stepscope::inject
