// SPDX-License-Identifier: Apache-2.0
// A function of an open library by its name.
#pragma once

#include <dlfcn.h>

namespace stepscope::cupti {

// False: there is none, and `missing` says which.
template <class Function>
bool resolve(void* handle, const char* name, Function& function, const char*& missing) noexcept {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) missing = name;
  return function != nullptr;
}

}  // namespace stepscope::cupti
