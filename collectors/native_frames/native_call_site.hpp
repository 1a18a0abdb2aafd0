// SPDX-License-Identifier: Apache-2.0
// The place in the user's compiled code at which the calling thread is.
//
// The interned site is not a line yet: `file` is the path of the mapped file, `function` the calls
// within it as "native:PATH+0xOFFSET;PATH+0xOFFSET...", innermost first, offsets as the file's own
// symbol table counts. core/symbols makes a line of it when the program has ended.
#pragma once

#include "collectors/recorder/recorder.hpp"

namespace stepscope {

// Must be called before native_call_site is used; idempotent.
void init_native_call_sites() noexcept;

// The call site, or 0: no code of the user's is on the stack, or the unwind tables end before it.
// Counts recorder::count_site_lookup where code of the user's seems to be there.
recorder::SiteRef native_call_site() noexcept;

}  // namespace stepscope
