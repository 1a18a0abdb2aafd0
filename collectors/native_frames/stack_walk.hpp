// SPDX-License-Identifier: Apache-2.0
// The calls on the calling thread's stack that lie in code of the user's, innermost first, by the
// unwind tables of the files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collectors/native_frames/user_code.hpp"

namespace stepscope::native {

struct UserCalls {
  // Several, since the innermost may be a framework's template that was compiled into the program.
  static constexpr std::size_t kMost = 6;
  std::array<std::uintptr_t, kMost> address{};  // within the calling instruction
  std::size_t size = 0;
};

UserCalls walk_stack(const UserCode& code) noexcept;

}  // namespace stepscope::native
