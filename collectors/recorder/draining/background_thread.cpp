// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/writer_thread.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace stepscope::recorder {
namespace {

constexpr std::size_t kStackBytes = 8U << 20U;  // as programs have: libraries of others run on it
// With 10, the writer thread starved on a machine whose every core was taken, until rings ran over.
constexpr int kNiceness = 5;

}  // namespace

bool start_background_thread(void* (*body)(void*), void* argument) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int error = pthread_create(&thread, &attributes, body, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return error == 0;
}

void become_background_thread(const char* name) noexcept {
  prctl(PR_SET_NAME, name);
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNiceness);
}

}  // namespace stepscope::recorder
