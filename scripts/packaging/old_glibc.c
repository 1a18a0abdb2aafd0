// SPDX-License-Identifier: Apache-2.0
// What our code, libstdc++, libgcc and SQLite of Debian 12 take from glibc 2.18 to 2.36, for programs that are to run
// with 2.17. Linked before glibc, and hidden, so nothing else in a process sees these. x86-64.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

// 2.25.
HIDDEN int getentropy(void* to, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    const long got = syscall(SYS_getrandom, (char*)to + done, bytes - done, 0);
    if (got > 0) done += (size_t)got;
  }
  return 0;
}

// 2.28. On x86-64 it is fcntl.
HIDDEN int fcntl64(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return fcntl(file, command, argument);
}

// 2.28.
HIDDEN int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

// 2.29 gave these three a version that does not set errno by way of matherr; their results are the same.
#define OLD_VERSION(name, parameters, arguments)              \
  extern double old_##name parameters;                        \
  __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5");     \
  HIDDEN double name parameters { return old_##name arguments; }
OLD_VERSION(exp, (double x), (x))
OLD_VERSION(log, (double x), (x))
OLD_VERSION(log2, (double x), (x))
OLD_VERSION(pow, (double x, double y), (x, y))

// 2.27 did the same with these.
#define OLD_FLOAT_VERSION(name, parameters, arguments)        \
  extern float old_##name parameters;                         \
  __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5");     \
  HIDDEN float name parameters { return old_##name arguments; }
OLD_FLOAT_VERSION(logf, (float x), (x))
OLD_FLOAT_VERSION(powf, (float x, float y), (x, y))

// 2.30.
HIDDEN pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// 2.30, for std::condition_variable. Without the real one the wait is by the calendar's clock, as it was before.
HIDDEN int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* until) {
  typedef int (*Wait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
  const Wait real = (Wait)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
  if (real != NULL) return real(condition, mutex, clock, until);
  enum { kSecond = 1000000000 };
  struct timespec now, calendar;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &calendar);
  const int64_t left = (until->tv_sec - now.tv_sec) * (int64_t)kSecond + until->tv_nsec - now.tv_nsec;
  const int64_t end = calendar.tv_sec * (int64_t)kSecond + calendar.tv_nsec + (left > 0 ? left : 0);
  const struct timespec deadline = {end / kSecond, end % kSecond};
  return pthread_cond_timedwait(condition, mutex, &deadline);
}

// 2.32. Zero means "there may be threads": reference counts stay atomic.
HIDDEN char __libc_single_threaded = 0;

// 2.35, for the unwinder: where the tables of the code at an address are. A plain walk over what is mapped.
static int keep_object(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct dl_find_object* const result = data;
  const uintptr_t address = (uintptr_t)result->dlfo_map_start;
  int holds_it = 0;
  void* tables = NULL;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const segment = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && address >= begin && address < begin + segment->p_memsz) holds_it = 1;
    if (segment->p_type == PT_GNU_EH_FRAME) tables = (void*)begin;
  }
  if (!holds_it || tables == NULL) return 0;
  result->dlfo_eh_frame = tables;
  return 1;
}

HIDDEN int _dl_find_object(void* address, struct dl_find_object* result) {
  memset(result, 0, sizeof *result);
  result->dlfo_map_start = address;  // what the walk looks for
  return dl_iterate_phdr(keep_object, result) == 1 ? 0 : -1;
}

// 2.36, for std::random_device.
HIDDEN uint32_t arc4random(void) {
  uint32_t value = 0;
  getentropy(&value, sizeof value);
  return value;
}
