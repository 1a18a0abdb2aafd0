// SPDX-License-Identifier: Apache-2.0
#include "collectors/native_frames/stack_walk.hpp"

#include <link.h>
#include <pthread.h>
#include <unwind.h>

namespace stepscope::native {
namespace {

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

}  // namespace

StackSpan stack_of_thread() noexcept {
  if (!kept.asked) {
    kept.asked = true;
    kept.span = ask();
  }
  return kept.span;
}

namespace {

constexpr int kMostFrames = 128;

void add_if_users(std::uintptr_t within, const UserCode& code, UserCalls& calls) noexcept {
  if (code.find(within) != nullptr) calls.address[calls.size++] = within;
}

// Other frames' words are read, also such as a sanitizer keeps between variables.
__attribute__((no_sanitize("address", "undefined"))) std::uintptr_t word_at(
    std::uintptr_t slot) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address on the stack
  return *reinterpret_cast<const volatile std::uintptr_t*>(slot);
}

bool is_inside(std::uintptr_t slot, StackSpan stack) noexcept {
  return slot >= stack.low && slot + sizeof(slot) <= stack.high;
}

// Returns the slot of the caller's return address; 0: it is not known. Where there are two
// distances, it is the one at which a known return address stands, if only one does.
std::uintptr_t callers_slot(std::uintptr_t slot, FrameSize size, StackSpan stack,
                            const FrameSizes& sizes) noexcept {
  if (!size.is_known() || size.words <= 0) return 0;
  const std::uintptr_t one = slot + static_cast<std::uintptr_t>(size.words) * sizeof(slot);
  if (size.other == 0) return one;
  const std::uintptr_t other = slot + static_cast<std::uintptr_t>(size.other) * sizeof(slot);
  const bool is_one = is_inside(one, stack) && sizes.find(word_at(one)).is_known();
  const bool is_other = is_inside(other, stack) && sizes.find(word_at(other)).is_known();
  if (is_one == is_other) return 0;
  return is_one ? one : other;
}

}  // namespace

bool walk_known_frames(std::uintptr_t slot, StackSpan stack, const UserCode& code,
                       const FrameSizes& sizes, UserCalls& calls) noexcept {
  for (int frame = 0; frame < kMostFrames; ++frame) {
    if (!is_inside(slot, stack)) return false;
    const std::uintptr_t address = word_at(slot);
    add_if_users(address - 1, code, calls);
    if (calls.size == UserCalls::kMost) return true;
    const FrameSize size = sizes.find(address);
    if (size.is_known() && size.words == FrameSize::kOutermost) return true;
    slot = callers_slot(slot, size, stack, sizes);
  }
  return true;
}

namespace {

struct Walk {
  std::uintptr_t first_slot;
  const UserCode& code;
  FrameSizes& sizes;
  UserCalls calls{};
  int frames = 0;
  bool stopped = false;
  std::uintptr_t slot = 0, address = 0;  // the frame before; address 0: it teaches nothing
};

// A frame that a signal interrupted has no return address, so nothing is learned of it.
void learn(std::uintptr_t slot, std::uintptr_t address, Walk& walk) noexcept {
  const bool is_call = word_at(slot) == address;
  if (is_call && walk.address != 0)
    walk.sizes.learn(walk.address, static_cast<std::int64_t>((slot - walk.slot) / sizeof(slot)));
  walk.slot = slot;
  walk.address = is_call ? address : 0;
}

_Unwind_Reason_Code on_frame(_Unwind_Context* context, void* to) noexcept {
  auto& walk = *static_cast<Walk*>(to);
  int before_instruction = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &before_instruction);
  const std::uintptr_t slot = _Unwind_GetCFA(context) - sizeof(slot);
  if (slot < walk.first_slot) return _URC_NO_REASON;  // the walk's own
  if (address == 0) return _URC_END_OF_STACK;         // what called the outermost function
  walk.stopped = ++walk.frames > kMostFrames;
  if (walk.stopped) return _URC_END_OF_STACK;
  learn(slot, address, walk);
  add_if_users(before_instruction != 0 ? address : address - 1, walk.code, walk.calls);
  walk.stopped = walk.calls.size == UserCalls::kMost;
  return walk.stopped ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

UserCalls walk_stack(std::uintptr_t slot, const UserCode& code, FrameSizes& sizes) noexcept {
  Walk walk{slot, code, sizes};
  _Unwind_Backtrace(on_frame, &walk);
  if (!walk.stopped && walk.address != 0) sizes.learn(walk.address, FrameSize::kOutermost);
  return walk.calls;
}

}  // namespace stepscope::native
