// SPDX-License-Identifier: Apache-2.0
#include "collectors/native_frames/stack_scan.hpp"

#include <link.h>
#include <pthread.h>
#include <unwind.h>

#include <algorithm>

namespace stepscope::native {
namespace {

// Single functions of cuBLAS take 37 KB, and programs seldom stand deeper than this.
constexpr std::uintptr_t kMostBytes = 256 << 10;

struct Kept {
  StackSpan span;
  bool asked = false;
};
thread_local constinit Kept kept __attribute__((tls_model("initial-exec"))) = {};

// The C library keeps the variables that a thread has of each module above the stack of the thread,
// within the same mapping. With CUDA's libraries they are hundreds of kilobytes.
int end_below_variables(dl_phdr_info* module, std::size_t, void* to) noexcept {
  StackSpan& stack = *static_cast<StackSpan*>(to);
  const auto variables = reinterpret_cast<std::uintptr_t>(module->dlpi_tls_data);
  if (variables > stack.low && variables < stack.high)
    stack.high = variables & ~(sizeof(variables) - 1);
  return 0;
}

StackSpan ask() noexcept {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  std::size_t size = 0;
  const int error = pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  if (error != 0) return {};
  StackSpan stack{.low = reinterpret_cast<std::uintptr_t>(low)};
  stack.high = stack.low + size;
  dl_iterate_phdr(end_below_variables, &stack);
  return stack;
}

std::uint64_t mixed(std::uint64_t number, std::uint64_t with) noexcept {
  number = (number ^ with) * 0x9E3779B97F4A7C15U;
  return number ^ number >> 29U;
}

}  // namespace

StackSpan stack_of_thread() noexcept {
  if (!kept.asked) {
    kept.asked = true;
    kept.span = ask();
  }
  return kept.span;
}

// Other frames' words are read, also such as a sanitizer keeps between variables.
__attribute__((no_sanitize("address", "undefined"))) std::uint64_t scan_stack(
    std::uintptr_t from, StackSpan stack, const UserCode& code) noexcept {
  if (from < stack.low || from >= stack.high) return 0;  // a stack of the program's own making
  const std::uintptr_t to = std::min(stack.high, from + kMostBytes);
  std::uint64_t seen = 0;
  for (const CodeRange& range : code.ranges()) {
    const std::uintptr_t size = range.end - range.begin;
    for (std::uintptr_t at = from; at + sizeof(at) <= to; at += sizeof(at)) {
      const auto word = *reinterpret_cast<const volatile std::uintptr_t*>(at);
      // One compare: what lies below the range wraps to a large number.
      if (word - range.begin < size) seen = mixed(mixed(seen, at - from + 1), word);
    }
  }
  return seen == 0 ? 0 : mixed(seen, from);
}

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
