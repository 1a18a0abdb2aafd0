// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/real_functions.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stepscope::inject {
namespace {

constexpr std::size_t kMostLibraries = 2048;

// Mapped libraries with this part in their path.
struct Wanted {
  const char* part;
  std::uintptr_t own;  // where this library lies, which is none of them
  std::size_t count = 0;
  const char* paths[kMostLibraries] = {};
};

int keep_path(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  auto& wanted = *static_cast<Wanted*>(data);
  const char* path = info->dlpi_name;
  if (path == nullptr || std::strstr(path, wanted.part) == nullptr) return 0;
  if (info->dlpi_addr == wanted.own) return 0;
  wanted.paths[wanted.count++] = path;
  return wanted.count == kMostLibraries ? 1 : 0;
}

void* symbol_of(const char* path, const char* name) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* symbol = dlsym(handle, name);
  dlclose(handle);
  return symbol;
}

std::uintptr_t own_address() {
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&real_function), &own);
  return reinterpret_cast<std::uintptr_t>(own.dli_fbase);
}

}  // namespace

// Returns the function of whichever version of the library is mapped. dlsym(RTLD_NEXT) sees only
// global libraries, and Python opens its own locally.
void* real_function(const char* name, const char* library) noexcept {
  if (void* symbol = dlsym(RTLD_NEXT, name)) return symbol;
  Wanted wanted{library, own_address()};
  dl_iterate_phdr(keep_path, &wanted);
  void* symbol = nullptr;
  for (std::size_t i = 0; i < wanted.count && symbol == nullptr; ++i)
    symbol = symbol_of(wanted.paths[i], name);
  dlerror();  // clears the error of our own look-ups
  return symbol;
}

}  // namespace stepscope::inject
