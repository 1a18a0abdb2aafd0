// SPDX-License-Identifier: Apache-2.0
#include "collectors/record_function/callbacks.hpp"

#include <atomic>

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

// A line is worth its cost at the outermost op and where the host may wait for the device.
bool wants_site(recorder::RangeName name) noexcept {
  return recorder::open_ranges(recorder::kLaneFunction) == 0 || name == local_scalar_dense ||
         name == copy_in_place;
}

[[gnu::hot]] Observer begin_function(const RecordFunction& function) {
  if (!recorder::recording()) return nullptr;
  const recorder::RangeName name = names.find(context.name(&function));
  const recorder::SiteRef site =
      context.call_site != nullptr && recorder::taking() && wants_site(name) ? context.call_site()
                                                                             : 0;
  recorder::begin_range(recorder::kLaneFunction, HostKind::op, name, 0, site, kNoSequence);
  return nullptr;
}

[[gnu::hot]] void end_function(const RecordFunction& /*function*/, ObserverContext* /*none*/) {
  recorder::end_range(recorder::kLaneFunction);
}

[[gnu::hot]] Observer begin_backward(const RecordFunction& function) {
  if (!recorder::recording()) return nullptr;
  recorder::begin_range(recorder::kLaneBackward, HostKind::backward_node,
                        names.find(context.name(&function)), 0, 0, kNoSequence);
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
  if (!recorder::recording()) return nullptr;
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
      context.call_site != nullptr && recorder::has_plan() ? context.call_site() : 0;
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
