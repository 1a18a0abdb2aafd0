// SPDX-License-Identifier: Apache-2.0
// A word of a command as one types it into a shell, for hints that are copied.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// "run.scope" as it is; "my run.scope" as 'my run.scope'. Letters beyond ASCII need no quotes.
std::string shell_word(std::string_view word);

}  // namespace stepscope
