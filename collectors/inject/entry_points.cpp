// SPDX-License-Identifier: Apache-2.0
// What the outside calls, beside NVTX's two functions (collectors/nvtx/injection.cpp) and the
// interposed dlopen (interpose_dlopen.cpp). All are listed in exports.map, and a test compares.
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/inject/startup.hpp"
#include "collectors/recorder/recorder.hpp"

#define STEPSCOPE_EXPORT __attribute__((visibility("default")))

namespace {

// LD_PRELOAD and every dlopen of this library.
__attribute__((constructor)) void on_load() {
  stepscope::inject::start_collectors();
}

using Main = int (*)(int, char**, char**);
constinit Main program_main = nullptr;

// Libraries that the program is linked to are mapped and initialised by now.
int main_with_collectors(int argc, char** argv, char** environment) {
  stepscope::inject::look_for_libraries();
  const int status = program_main(argc, argv, environment);
  stepscope::inject::on_main_returned();
  return status;
}

}  // namespace

extern "C" {

// CUDA_INJECTION64_PATH: called by the driver inside cuInit. 0 would make it unload the library.
STEPSCOPE_EXPORT int InitializeInjection() {
  stepscope::inject::on_cuda_start();
  return 1;
}

[[noreturn]] void stepscope_quick_exit(int status) asm("_exit");
[[noreturn]] void stepscope_quick_exit_c99(int status) asm("_Exit");

STEPSCOPE_EXPORT void stepscope_quick_exit(int status) {
  stepscope::inject::on_quick_exit();
  for (;;) syscall(SYS_exit_group, status);
}

STEPSCOPE_EXPORT void stepscope_quick_exit_c99(int status) {
  stepscope_quick_exit(status);
}

int stepscope_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                         void (*loader_fini)(), void* stack_end) asm("__libc_start_main");

STEPSCOPE_EXPORT int stepscope_start_main(Main main, int argc, char** argv, void (*init)(),
                                          void (*fini)(), void (*loader_fini)(), void* stack_end);
}

#include <dlfcn.h>

extern "C" int stepscope_start_main(Main main, int argc, char** argv, void (*init)(),
                                    void (*fini)(), void (*loader_fini)(), void* stack_end) {
  const auto real =
      reinterpret_cast<decltype(&stepscope_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  program_main = main;
  return real(stepscope::recorder::is_armed() ? main_with_collectors : main, argc, argv, init, fini,
              loader_fini, stack_end);
}
