// SPDX-License-Identifier: Apache-2.0
// The calls on the calling thread's stack that lie in code of the user's, innermost first: slowly by
// the unwind tables of the files, or quickly by the distances that such walks have taught.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collectors/native_frames/frame_sizes.hpp"
#include "collectors/native_frames/user_code.hpp"

namespace stepscope::native {

struct StackSpan {
  std::uintptr_t low = 0, high = 0;  // high: one beyond the last word
};

// The calling thread's own stack, without the thread's variables that lie above it; empty where the
// system does not report it. Found once a thread.
StackSpan stack_of_thread() noexcept;

struct UserCalls {
  // Several, since the innermost may be a framework's template that was compiled into the program.
  static constexpr std::size_t kMost = 6;
  std::array<std::uintptr_t, kMost> address{};  // within the calling instruction
  std::size_t size = 0;

  friend bool operator==(const UserCalls&, const UserCalls&) = default;
};

// `slot` is where the return address of the innermost frame that counts stands. Returns false where
// a distance on the way is not known: walk_stack knows. A look at some ten frames takes 0.45 us.
bool walk_known_frames(std::uintptr_t slot, StackSpan stack, const UserCode& code,
                       const FrameSizes& sizes, UserCalls& calls) noexcept;

// Takes some 0.7 us a frame. `sizes` learns each distance that it passes.
UserCalls walk_stack(std::uintptr_t slot, const UserCode& code, FrameSizes& sizes) noexcept;

}  // namespace stepscope::native
