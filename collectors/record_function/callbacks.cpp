// SPDX-License-Identifier: Apache-2.0
#include "collectors/record_function/callbacks.hpp"

#include <atomic>

#include "collectors/record_function/autograd_numbers.hpp"
#include "collectors/record_function/name_cache.hpp"

namespace stepscope {
namespace {

using namespace torch_abi;
using Observer = std::unique_ptr<ObserverContext>;

// Constant-initialised and trivially destroyed: callbacks run until the last instruction.
constinit CallbackContext context;
constinit NameCache names;
constinit recorder::NameId local_scalar_dense = 0;
constinit recorder::NameId copy_in_place = 0;
constinit std::atomic<std::uint64_t> async_ids{0};

// The Python frame and the depth of ops at which the thread's last line was taken.
struct Looked {
  std::uintptr_t frame = 0;
  std::uint32_t depth = 0;
};
thread_local constinit Looked looked __attribute__((tls_model("initial-exec"))) = {};

void look_from(std::uint32_t depth) noexcept {
  looked = {context.python_frame == nullptr ? 0 : context.python_frame(), depth};
}

// Whether an op runs other Python code. What it calls in C++ is at the op's line; what it calls
// through Python (a function with a backward of its own, checkpointing) is at lines of that Python.
bool runs_other_python(std::uint32_t depth) noexcept {
  if (context.python_frame == nullptr) return false;
  const std::uintptr_t frame = context.python_frame();
  if (frame == 0 || (frame == looked.frame && depth > looked.depth)) return false;
  looked = {frame, depth};
  return true;
}

// A line is worth its cost at the outermost op of its Python and where the host may wait for the
// device.
bool wants_site(recorder::RangeName name) noexcept {
  const std::uint32_t depth = recorder::open_ranges(recorder::kLaneFunction);
  if (depth == 0) {
    look_from(0);
    return true;
  }
  return runs_other_python(depth) || name == local_scalar_dense || name == copy_in_place;
}

[[gnu::hot]] Observer begin_function(const RecordFunction& function) {
  if (!recorder::is_armed()) return nullptr;
  const recorder::RangeName name = names.find(context.name(&function));
  const recorder::SiteRef site =
      context.call_site != nullptr && recorder::is_capturing() && wants_site(name)
          ? context.call_site()
          : 0;
  // A number is of use with a line alone: it gives the line to what the op makes.
  const std::uint32_t sequence = site != 0 ? next_sequence() : kNoSequence;
  recorder::begin_range(recorder::kLaneFunction, HostKind::op, name, 0, site, sequence);
  return nullptr;
}

[[gnu::hot]] void end_function(const RecordFunction& /*function*/, ObserverContext* /*none*/) {
  recorder::end_range(recorder::kLaneFunction);
}

[[gnu::hot]] Observer begin_backward(const RecordFunction& function) {
  if (!recorder::is_armed()) return nullptr;
  // Where the pass runs on the thread that asked for it: that line. Python that a node runs is not
  // on the stack yet.
  const bool wanted = context.call_site != nullptr && recorder::is_capturing() &&
                      recorder::open_ranges(recorder::kLaneBackward) == 0;
  const recorder::SiteRef site = wanted ? context.call_site() : 0;
  // The ops of the node itself are those of the engine's frame.
  const std::uint32_t depth = recorder::open_ranges(recorder::kLaneFunction);
  if (wanted && depth > 0) look_from(depth - 1);
  const NodeNumbers numbers = node_numbers(function);
  recorder::begin_range(recorder::kLaneBackward, HostKind::backward_node,
                        names.find(context.name(&function)), numbers.forward_thread, site,
                        numbers.sequence);
  return nullptr;
}

[[gnu::hot]] void end_backward(const RecordFunction& /*function*/, ObserverContext* /*none*/) {
  recorder::end_range(recorder::kLaneBackward);
}

// Scopes may end on another thread: those of collectives say so at their begin (async); others,
// ended by a future, leave their thread's stack with an entry that a later end on that thread takes
// away.
struct UserScope : ObserverContext {
  std::uint64_t async_id = 0;
  const void* thread = nullptr;
  std::uint32_t depth = 0;  // ranges open around this one
};

thread_local constinit char thread_mark __attribute__((tls_model("initial-exec"))) = 0;

Observer begin_user(const RecordFunction& function) {
  if (!recorder::is_armed()) return nullptr;
  auto scope = std::make_unique<UserScope>();
  const recorder::RangeName name = names.find(context.name(&function));
  if (context.is_async(&function)) {
    scope->async_id = (std::uint64_t{1} << 63U) | ++async_ids;  // apart from NVTX's ids
    recorder::begin_process_range(scope->async_id, name, 0, HostKind::user_scope);
    return scope;
  }
  scope->thread = &thread_mark;
  scope->depth = recorder::open_ranges(recorder::kLaneUser);
  const recorder::SiteRef site =
      context.call_site != nullptr && (recorder::has_plan() || recorder::is_capturing())
          ? context.call_site()
          : 0;
  recorder::begin_range(recorder::kLaneUser, HostKind::user_scope, name, 0, site, kNoSequence);
  return scope;
}

void end_user(const RecordFunction& /*function*/, ObserverContext* observer) {
  const auto* scope = static_cast<const UserScope*>(observer);
  if (scope == nullptr) return;
  if (scope->async_id != 0) return recorder::end_process_range(scope->async_id);
  if (scope->thread != &thread_mark) return;
  while (recorder::open_ranges(recorder::kLaneUser) > scope->depth)
    recorder::end_range(recorder::kLaneUser);
}

Observer begin_nothing(const RecordFunction& /*function*/) {
  return nullptr;
}
void end_nothing(const RecordFunction& /*function*/, ObserverContext* /*none*/) {}

RecordFunctionCallback make(Scope scope, decltype(RecordFunctionCallback::start) start,
                            decltype(RecordFunctionCallback::end) end) noexcept {
  RecordFunctionCallback callback{.start = start, .end = end};
  callback.scopes[scope] = true;
  return callback;
}

}  // namespace

void set_callback_context(const CallbackContext& wanted) noexcept {
  context = wanted;
  local_scalar_dense = recorder::intern_name("aten::_local_scalar_dense", 25);
  copy_in_place = recorder::intern_name("aten::copy_", 11);
}

RecordFunctionCallback function_callback() noexcept {
  return make(kFunction, begin_function, end_function);
}
RecordFunctionCallback backward_callback() noexcept {
  return make(kBackwardFunction, begin_backward, end_backward);
}
RecordFunctionCallback user_callback() noexcept {
  return make(kUserScope, begin_user, end_user);
}
RecordFunctionCallback empty_callback(Scope scope) noexcept {
  return make(scope, begin_nothing, end_nothing);
}

}  // namespace stepscope
