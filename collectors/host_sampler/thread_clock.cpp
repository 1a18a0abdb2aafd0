// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/thread_clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
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
