// SPDX-License-Identifier: Apache-2.0
// The functions that PyTorch calls at the begin and end of each RecordFunction, one pair a scope.
#pragma once

#include <cstdint>

#include "collectors/record_function/torch_abi.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope {

struct CallbackContext {
  torch_abi::Name name = nullptr;
  torch_abi::IsAsync is_async = nullptr;
  recorder::SiteRef (*call_site)() noexcept = nullptr;  // null: sites are not recorded
  std::uintptr_t (*python_frame)() noexcept = nullptr;  // with call_site
};

// Must be called before the first callback is registered; the context stays for the life of the
// process.
void set_callback_context(const CallbackContext& context) noexcept;

torch_abi::RecordFunctionCallback function_callback() noexcept;
torch_abi::RecordFunctionCallback backward_callback() noexcept;
torch_abi::RecordFunctionCallback user_callback() noexcept;
// Does nothing: what PyTorch itself spends once a callback exists (the baseline of our own share).
torch_abi::RecordFunctionCallback empty_callback(torch_abi::Scope scope) noexcept;

}  // namespace stepscope
