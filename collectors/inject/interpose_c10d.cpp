// SPDX-License-Identifier: Apache-2.0
// The constructor of PyTorch's process groups, c10d::Backend(int rank, int size), interposed under
// LD_PRELOAD. Programs that start their ranks themselves (torch.multiprocessing.spawn, a framework's
// launcher) say here alone which rank of how many a process is.
#include <atomic>

#include "collectors/inject/process_facts.hpp"
#include "collectors/inject/real_functions.hpp"

#define STEPSCOPE_BACKEND "_ZN4c10d7BackendC2Eii"

extern "C" __attribute__((visibility("default"))) void stepscope_make_backend(
    void* backend, int rank, int size) __asm__(STEPSCOPE_BACKEND);

namespace {

using Make = decltype(&stepscope_make_backend);
constinit std::atomic<Make> real_make{nullptr};

[[gnu::cold]] Make find_real_make() noexcept {
  using stepscope::inject::real_function;
  void* symbol = real_function(STEPSCOPE_BACKEND, "/libtorch_cpu.so");
  if (symbol == nullptr) symbol = real_function(STEPSCOPE_BACKEND, ".so");  // another build's name
  const auto found = reinterpret_cast<Make>(symbol);
  real_make.store(found, std::memory_order_relaxed);
  return found;
}

}  // namespace

void stepscope_make_backend(void* backend, int rank, int size) {
  stepscope::inject::record_process_group(rank, size);
  Make real = real_make.load(std::memory_order_relaxed);
  if (real == nullptr) real = find_real_make();
  real(backend, rank, size);  // the library that calls us has it
}
