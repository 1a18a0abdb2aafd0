// SPDX-License-Identifier: Apache-2.0
// Prints the address of one of its places, as the file's own symbols count, that lies in an inlined
// function: line 13, called in line 18.
#include <link.h>

#include <cstdint>
#include <cstdio>

namespace {

__attribute__((always_inline)) inline std::uintptr_t inner() {
  std::uintptr_t here = 0;
  asm volatile("leaq 0(%%rip), %0" : "=r"(here));
  return here;
}

__attribute__((noinline)) std::uintptr_t outer() {
  return inner() + 0;
}

int print(dl_phdr_info* program, std::size_t /*size*/, void* /*data*/) {
  std::printf("%zu\n", outer() - program->dlpi_addr - 1);
  return 1;
}

}  // namespace

int main() {
  dl_iterate_phdr(print, nullptr);
}
