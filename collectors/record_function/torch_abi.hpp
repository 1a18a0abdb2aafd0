// SPDX-License-Identifier: Apache-2.0
// The little of at::RecordFunction that is needed, declared here because collectors see no Torch
// headers. Symbols are looked up by their mangled names; the layout below is that of all tested
// versions (torch_library.cpp), and tests/collectors/record_function/layout_check.cpp compares it
// with a torch's own header. RecordFunction itself stays opaque: its scope, sequence number and
// thread id are inline accessors and would need offsets, so there is one callback a scope.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace stepscope::torch_abi {

struct RecordFunction;  // opaque

struct ObserverContext {
  virtual ~ObserverContext() = default;
};

enum Scope : std::uint8_t { kFunction = 0, kBackwardFunction = 1, kUserScope = 7, kScopes = 10 };

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

inline constexpr const char* kAddGlobalCallback =
    "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE";
inline constexpr const char* kDisableCallback = "_ZN2at15disableCallbackEm";
inline constexpr const char* kReenableCallback = "_ZN2at16reenableCallbackEm";
inline constexpr const char* kName = "_ZNK2at14RecordFunction4nameEv";
inline constexpr const char* kIsAsync = "_ZNK2at14RecordFunction7isAsyncEv";

}  // namespace stepscope::torch_abi
