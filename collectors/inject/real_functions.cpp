// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/real_functions.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

namespace stepscope::inject {
namespace {

struct Wanted {
  const char* part;
  const char* path;
};

int keep_path(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  auto& wanted = *static_cast<Wanted*>(data);
  if (info->dlpi_name == nullptr || std::strstr(info->dlpi_name, wanted.part) == nullptr) return 0;
  wanted.path = info->dlpi_name;
  return 1;
}

}  // namespace

// Returns the function of whichever version of the library is mapped. dlsym(RTLD_NEXT) sees only
// global libraries, and Python opens its own locally.
void* real_function(const char* name, const char* library) noexcept {
  if (void* symbol = dlsym(RTLD_NEXT, name)) return symbol;
  Wanted wanted{library, nullptr};
  dl_iterate_phdr(keep_path, &wanted);
  void* handle = wanted.path == nullptr ? nullptr : dlopen(wanted.path, RTLD_NOW | RTLD_NOLOAD);
  void* symbol = handle == nullptr ? nullptr : dlsym(handle, name);
  if (handle != nullptr) dlclose(handle);
  dlerror();  // clears the error of our own look-ups
  return symbol;
}

}  // namespace stepscope::inject
