// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/thread_clock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <span>
#include <string_view>

namespace stepscope::host_sampler {
namespace {

// The kernel's clock ids of threads and processes (man 3 clock_getcpuclockid): the complement of
// the id, then a bit for threads, then 2 for the scheduler's clock.
constexpr int kScheduler = 2, kThread = 4;

std::uint64_t read_clock(pid_t id, int kind) noexcept {
  timespec time{};
  const auto clock =
      static_cast<clockid_t>(static_cast<unsigned>(~id) << 3U | static_cast<unsigned>(kind));
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::string_view read_of_thread(pid_t tid, const char* what, std::array<char, 256>& text) noexcept {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/%s", tid, what);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  return size <= 0 ? std::string_view{}
                   : std::string_view(text.data(), static_cast<std::size_t>(size));
}

constexpr long kWriting[] = {SYS_write,    SYS_pwrite64, SYS_writev,    SYS_pwritev,
                             SYS_pwritev2, SYS_fsync,    SYS_fdatasync, SYS_sync_file_range,
                             SYS_msync,    SYS_sendfile, SYS_ftruncate, SYS_fallocate};
constexpr long kReading[] = {SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_preadv2};
constexpr long kSleeping[] = {SYS_nanosleep, SYS_clock_nanosleep};
constexpr long kLocking[] = {SYS_futex, 449};  // 449: futex_waitv, which older headers do not name
constexpr long kAwaitingChildren[] = {SYS_wait4, SYS_waitid};
constexpr long kSelecting[] = {
    SYS_pselect6,
#ifdef SYS_select
    SYS_select,
#endif
};
constexpr long kCommunicating[] = {
    SYS_ppoll,   SYS_epoll_pwait, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_accept,
    SYS_accept4, SYS_connect,     SYS_sendto,   SYS_sendmsg, SYS_sendmmsg,
#ifdef SYS_poll
    SYS_poll,    SYS_epoll_wait,
#endif
};

bool is_one_of(std::span<const long> calls, long call) noexcept {
  return std::find(calls.begin(), calls.end(), call) != calls.end();
}

bool is_file(long descriptor) noexcept {
  struct stat about {};
  return fstat(static_cast<int>(descriptor), &about) == 0 && S_ISREG(about.st_mode);
}

}  // namespace

std::uint64_t thread_cpu_ns(pid_t tid) noexcept {
  return read_clock(tid, kThread | kScheduler);
}

std::uint64_t process_cpu_ns(pid_t pid) noexcept {
  return read_clock(pid, kScheduler);
}

// "123 (name) R ...", where the name may hold anything.
bool is_runnable(pid_t tid) noexcept {
  std::array<char, 256> text{};
  const std::string_view stat = read_of_thread(tid, "stat", text);
  const std::size_t name_end = stat.rfind(") ");
  return name_end != std::string_view::npos && stat.substr(name_end + 2).starts_with('R');
}

// "1 0x4 0x7feb ...": the call's number and its arguments; "running" where it is in none. Pythons
// before 3.11 sleep by a select of no descriptors.
AsleepIn asleep_in(pid_t tid) noexcept {
  std::array<char, 256> text{};
  const std::string_view call = read_of_thread(tid, "syscall", text);
  long number = -1, first = -1;
  const auto [end, error] = std::from_chars(call.data(), call.data() + call.size(), number);
  const std::size_t at = call.find("0x");
  if (error != std::errc() || at == std::string_view::npos) return AsleepIn::unknown;
  (void)std::from_chars(call.data() + at + 2, call.data() + call.size(), first, 16);
  if (is_one_of(kWriting, number)) return AsleepIn::file;
  if (is_one_of(kReading, number)) return is_file(first) ? AsleepIn::file : AsleepIn::channel;
  if (is_one_of(kSleeping, number)) return AsleepIn::timer;
  if (is_one_of(kSelecting, number)) return first == 0 ? AsleepIn::timer : AsleepIn::channel;
  if (is_one_of(kLocking, number)) return AsleepIn::lock;
  if (is_one_of(kAwaitingChildren, number)) return AsleepIn::child;
  return is_one_of(kCommunicating, number) ? AsleepIn::channel : AsleepIn::unknown;
}

bool can_see_calls(pid_t tid) noexcept {
  std::array<char, 256> text{};
  return !read_of_thread(tid, "syscall", text).empty();
}

// "ran waited slices", in nanoseconds.
std::uint64_t thread_wait_ns(pid_t tid) noexcept {
  std::array<char, 256> text{};
  const std::string_view stat = read_of_thread(tid, "schedstat", text);
  const std::size_t blank = stat.find(' ');
  std::uint64_t waited = 0;
  if (blank != std::string_view::npos)
    (void)std::from_chars(stat.data() + blank + 1, stat.data() + stat.size(), waited);
  return waited;
}

}  // namespace stepscope::host_sampler
