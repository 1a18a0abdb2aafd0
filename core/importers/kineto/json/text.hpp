// SPDX-License-Identifier: Apache-2.0
// JSON strings as the model keeps them: escapes resolved, valid UTF-8 (a broken sequence becomes
// U+FFFD, because reports are JSON again). An escape that JSON does not know stays as it is
// written: profilers have been seen to print Windows paths without doubling the backslash.
#pragma once

#include <string>
#include <string_view>

#include "core/importers/kineto/json/json_scanner.hpp"

namespace stepscope::kineto {

// The text of a string or scalar; a view into the value itself where nothing had to change, else
// into `scratch`, which it overwrites.
std::string_view decoded(const JsonValue& value, std::string& scratch);

// Whether the backslash at the front begins an escape of JSON.
bool is_escape(std::string_view text);

// `text` with every byte that is not part of valid UTF-8 replaced.
std::string repaired_utf8(std::string_view text);

}  // namespace stepscope::kineto
