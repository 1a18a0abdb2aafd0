// SPDX-License-Identifier: Apache-2.0
// The functions that ours stand before under LD_PRELOAD.
#pragma once

namespace stepscope::inject {

// `library` is part of its path, "/libc10.so". Null where it is not mapped. Looked up at each call.
void* real_function(const char* name, const char* library) noexcept;

}  // namespace stepscope::inject
