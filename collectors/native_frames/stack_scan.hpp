// SPDX-License-Identifier: Apache-2.0
// The words on the calling thread's stack that point into code of the user's, as one number.
//
// Every live frame of the user's left its return address there, so two moments with the same
// number, the same stack pointer included, are taken for the same call chain. Words left over from
// calls that have ended only make the number another one, and the chain is walked once more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collectors/native_frames/user_code.hpp"

namespace stepscope::native {

struct StackSpan {
  std::uintptr_t low = 0, high = 0;  // high: one beyond the last word
};

// The calling thread's own stack, without the thread's variables that lie above it; empty where the
// system does not report it. Found once a thread.
StackSpan stack_of_thread() noexcept;

// A number for what the stack from `from` on shows; 0: nothing of the user's is on it. `from` is
// aligned to 8 bytes. Looks at 256 KiB at most, which takes 0.7 ns a word.
std::uint64_t scan_stack(std::uintptr_t from, StackSpan stack, const UserCode& code) noexcept;

// The calls on the calling thread's stack that lie in code of the user's, innermost first, by the
// unwind tables of the files.

struct UserCalls {
  // Several, since the innermost may be a framework's template that was compiled into the program.
  static constexpr std::size_t kMost = 6;
  std::array<std::uintptr_t, kMost> address{};  // within the calling instruction
  std::size_t size = 0;
};

UserCalls walk_stack(const UserCode& code) noexcept;

}  // namespace stepscope::native
