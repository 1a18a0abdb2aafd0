// SPDX-License-Identifier: Apache-2.0
// Whose code a Python file is: the user's own, or a library's. Profilers strip the prefixes of
// sys.path, so a standard library file may stand there as "queue.py" and a package's as
// "torch/nn/modules/x.py".
#pragma once

#include <string_view>

namespace stepscope {

bool is_user_file(std::string_view path);

}  // namespace stepscope
