// SPDX-License-Identifier: Apache-2.0
#include "collectors/native_frames/stack_scan.hpp"

#include <unwind.h>

namespace stepscope::native {
namespace {

constexpr int kMostFrames = 128;

struct Walk {
  const UserCode& code;
  UserCalls calls;
  int frames = 0;
};

_Unwind_Reason_Code on_frame(_Unwind_Context* context, void* to) noexcept {
  auto& walk = *static_cast<Walk*>(to);
  int before_instruction = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
  if (address == 0 || ++walk.frames > kMostFrames) return _URC_END_OF_STACK;
  if (walk.code.find(address) != nullptr)
    walk.calls.address[walk.calls.size++] = before_instruction != 0 ? address : address - 1;
  return walk.calls.size == UserCalls::kMost ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

UserCalls walk_stack(const UserCode& code) noexcept {
  Walk walk{code, {}, 0};
  _Unwind_Backtrace(on_frame, &walk);
  return walk.calls;
}

}  // namespace stepscope::native
