// SPDX-License-Identifier: Apache-2.0
// Opens a library that only its own RUNPATH can find, by bare name: the interposed dlopen must
// leave the caller's address as it is.
#include <dlfcn.h>

#include <cstdio>

int main() {
  if (dlopen("libcollectors_runpath_target.so", RTLD_NOW) != nullptr) return 0;
  std::fprintf(stderr, "%s\n", dlerror());
  return 1;
}
