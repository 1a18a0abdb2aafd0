// SPDX-License-Identifier: Apache-2.0
// A vendor's shared library, opened by its name when it is needed and never linked. It stays open:
// drivers and tools do not unload cleanly. A function that it lacks is null.
//
// Header only, no exceptions: the injected library uses it.
#pragma once

#include <dlfcn.h>

namespace stepscope {

class DynamicLibrary {
 public:
  // Opens the library; with RTLD_NOLOAD among the flags, only if the process has it already.
  explicit DynamicLibrary(const char* name, int flags = RTLD_NOW) noexcept
      : handle_(dlopen(name, flags)) {}
  explicit DynamicLibrary(void* handle) noexcept : handle_(handle) {}

  bool is_open() const noexcept { return handle_ != nullptr; }

  template <class Function>
  bool find(const char* name, Function& function) const noexcept {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle_, name));
    return function != nullptr;
  }
  template <class Function>
  Function find(const char* name) const noexcept {
    Function function = nullptr;
    (void)find(name, function);
    return function;
  }

 private:
  void* handle_;
};

}  // namespace stepscope
