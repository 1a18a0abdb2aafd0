// SPDX-License-Identifier: Apache-2.0
// Whose code a Python file is, from its path alone. The order is how foreign it is: the innermost
// frame of the smallest kind names the call site.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope::python {

enum class SourceKind : std::uint8_t {
  user,     // anything else, also <stdin> and notebook cells
  unnamed,  // <string>: `python -c`, and what libraries (Triton's launchers) put together
  package,  // under site-packages or dist-packages
  torch,    // torch and its generated code (inductor, fx)
  library,  // the standard library, frozen modules
};

SourceKind source_kind(std::string_view path) noexcept;

}  // namespace stepscope::python
