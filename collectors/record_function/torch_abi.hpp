// SPDX-License-Identifier: Apache-2.0
// The little of at::RecordFunction that is needed, declared here because collectors see no Torch
// headers. Symbols are looked up by their mangled names; the layout below is that of all tested
// versions (torch_library.cpp), and tests/collectors/record_function/layout_check.cpp compares it
// with a torch's own header. RecordFunction itself stays opaque: its scope is an inline accessor
// and would need an offset, so there is one callback a scope. Where its sequence number lies is
// found out by writing one (autograd_numbers.cpp).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <variant>

namespace stepscope::torch_abi {

struct RecordFunction;  // opaque

struct ObserverContext {
  virtual ~ObserverContext() = default;
};

enum Scope : std::uint8_t {
  kFunction = 0,
  kBackwardFunction = 1,
  kBuildFeature = 5,  // used in mobile builds; we do not listen to it
  kUserScope = 7,
  kScopes = 10
};

struct RecordFunctionCallback {
  std::unique_ptr<ObserverContext> (*start)(const RecordFunction&);
  void (*end)(const RecordFunction&, ObserverContext*);
  double sampling_probability = 1.0;
  std::array<bool, kScopes> scopes{};
  bool needs_inputs = false;
  bool needs_outputs = false;
  bool needs_ids = false;
};
static_assert(sizeof(RecordFunctionCallback) == 40);
static_assert(sizeof(std::unique_ptr<ObserverContext>) == sizeof(void*));

using CallbackHandle = std::uint64_t;
using AddGlobalCallback = CallbackHandle (*)(RecordFunctionCallback);
using SwitchCallback = void (*)(CallbackHandle);
using Name = const char* (*)(const RecordFunction*);
using IsAsync = bool (*)(const RecordFunction*);

// at::sequence_number::peek and at::RecordFunction::currentThreadId, both of the calling thread.
using ThreadNumber = std::uint64_t (*)();

// at::RecordFunction's constructor, before() and destructor.
struct Schema;  // opaque
using NameOrSchema = std::variant<std::string_view, std::reference_wrapper<const Schema>>;
using Construct = void (*)(void* storage, Scope);
using Before = void (*)(void* function, NameOrSchema, std::int64_t sequence);
using Destroy = void (*)(void* function);

inline constexpr const char* kAddGlobalCallback =
    "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE";
inline constexpr const char* kDisableCallback = "_ZN2at15disableCallbackEm";
inline constexpr const char* kReenableCallback = "_ZN2at16reenableCallbackEm";
inline constexpr const char* kName = "_ZNK2at14RecordFunction4nameEv";
inline constexpr const char* kIsAsync = "_ZNK2at14RecordFunction7isAsyncEv";
inline constexpr const char* kPeekSequence = "_ZN2at15sequence_number4peekEv";
inline constexpr const char* kCurrentThreadId = "_ZN2at14RecordFunction15currentThreadIdEv";
inline constexpr const char* kConstruct = "_ZN2at14RecordFunctionC1ENS_11RecordScopeE";
inline constexpr const char* kDestroy = "_ZN2at14RecordFunctionD1Ev";
inline constexpr const char* kBefore =
    "_ZN2at14RecordFunction6beforeESt7variantIJSt17basic_string_viewIcSt11char_traitsIcEESt17"
    "reference_wrapperIKN3c1014FunctionSchemaEEEEl";

}  // namespace stepscope::torch_abi
