// SPDX-License-Identifier: Apache-2.0
// Opens a library that only its own RUNPATH can find, by bare name: the interposed dlopen must
// leave the caller's address as it is. The library makes a process group as PyTorch's does, under a
// name that PyTorch does not have: the interposed constructor must find the library's own.
#include <dlfcn.h>

#include <cstdio>

int main() {
  void* target = dlopen("libcollectors_runpath_target.so", RTLD_NOW);
  if (target == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const auto make = reinterpret_cast<int (*)(int, int)>(dlsym(target, "make_process_group"));
  if (make == nullptr || make(3, 8) != 308) {
    std::fprintf(stderr, "the library's own constructor was not called\n");
    return 1;
  }
  return 0;
}
