// SPDX-License-Identifier: Apache-2.0
// dlopen, interposed under LD_PRELOAD to learn when libtorch and Python come in.
//
// The loader takes the search path (RUNPATH, $ORIGIN) from the caller's return address. So
// everything that is searched for is passed on by a tail call, which leaves that address alone;
// this file is always built with optimised sibling calls, and a test opens a library through its
// caller's RUNPATH. Only plain paths are followed by a look at what has been mapped.
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstring>

#include "collectors/inject/startup.hpp"
#include "collectors/recorder/recorder.hpp"

namespace {

using Open = void* (*)(const char*, int);
constinit std::atomic<Open> real_open{nullptr};

Open find_real_open() {
  const auto found = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
  real_open.store(found, std::memory_order_release);
  return found;
}

bool is_plain_path(const char* file, int flags) {
  return file != nullptr && (flags & RTLD_NOLOAD) == 0 && std::strchr(file, '/') != nullptr &&
         std::strchr(file, '$') == nullptr;
}

int read_adds(dl_phdr_info* info, std::size_t /*size*/, void* adds) {
  *static_cast<unsigned long long*>(adds) = info->dlpi_adds;
  return 1;
}

unsigned long long mapped_so_far() {
  unsigned long long adds = 0;
  dl_iterate_phdr(read_adds, &adds);
  return adds;
}

__attribute__((noinline)) void* open_and_look(Open real, const char* file, int flags) {
  const unsigned long long before = mapped_so_far();
  void* handle = real(file, flags);
  if (handle == nullptr || mapped_so_far() == before) return handle;
  stepscope::inject::look_for_libraries();
  stepscope::inject::look_for_xla();
  stepscope::inject::watch_python_program();
  dlerror();  // clears the error of our own look-ups
  return handle;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void* stepscope_dlopen(const char* file,
                                                                         int flags) asm("dlopen");

extern "C" void* stepscope_dlopen(const char* file, int flags) {
  Open real = real_open.load(std::memory_order_acquire);
  if (real == nullptr) real = find_real_open();
  if (!is_plain_path(file, flags) || !stepscope::recorder::is_armed()) return real(file, flags);
  return open_and_look(real, file, flags);
}
