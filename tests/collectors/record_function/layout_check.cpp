// SPDX-License-Identifier: Apache-2.0
// Compiled, never run: our declarations against the header of a torch. In CI that of LibTorch, in
// scripts/test-matrix those of all tested versions.
#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <sstream>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

// The callback's members are private; only their places are looked at.
#define private public
#include <ATen/record_function.h>
#undef private

#include "collectors/record_function/torch_abi.hpp"

namespace stepscope::torch_abi {
namespace {

using Theirs = at::RecordFunctionCallback;
using Ours = RecordFunctionCallback;

static_assert(sizeof(Theirs) == sizeof(Ours) && alignof(Theirs) == alignof(Ours));
static_assert(offsetof(Theirs, start_) == offsetof(Ours, start));
static_assert(offsetof(Theirs, end_) == offsetof(Ours, end));
static_assert(offsetof(Theirs, sampling_prob_) == offsetof(Ours, sampling_probability));
static_assert(offsetof(Theirs, scopes_) == offsetof(Ours, scopes));
static_assert(sizeof(Theirs::scopes_) == sizeof(Ours::scopes));
static_assert(offsetof(Theirs, needs_inputs_) == offsetof(Ours, needs_inputs));
static_assert(offsetof(Theirs, needs_outputs_) == offsetof(Ours, needs_outputs));
static_assert(offsetof(Theirs, needs_ids_) == offsetof(Ours, needs_ids));

static_assert(static_cast<int>(at::RecordScope::FUNCTION) == kFunction);
static_assert(static_cast<int>(at::RecordScope::BACKWARD_FUNCTION) == kBackwardFunction);
static_assert(static_cast<int>(at::RecordScope::USER_SCOPE) == kUserScope);
static_assert(static_cast<int>(at::RecordScope::NUM_SCOPES) == kScopes);

// What the mangled names do not say: results, and how a callback is called.
static_assert(std::is_same_v<decltype(&at::RecordFunction::name),
                             const char* (at::RecordFunction::*)() const>);
static_assert(
    std::is_same_v<decltype(&at::RecordFunction::isAsync), bool (at::RecordFunction::*)() const>);
static_assert(std::is_same_v<decltype(&at::addGlobalCallback), at::CallbackHandle (*)(Theirs)>);
static_assert(sizeof(at::CallbackHandle) == sizeof(CallbackHandle));
static_assert(std::is_same_v<decltype(Theirs::start_),
                             std::unique_ptr<at::ObserverContext> (*)(const at::RecordFunction&)>);
static_assert(std::is_same_v<decltype(Theirs::end_),
                             void (*)(const at::RecordFunction&, at::ObserverContext*)>);
static_assert(std::has_virtual_destructor_v<at::ObserverContext> &&
              sizeof(at::ObserverContext) == sizeof(ObserverContext));

}  // namespace
}  // namespace stepscope::torch_abi
