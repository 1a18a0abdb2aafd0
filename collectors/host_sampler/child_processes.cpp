// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/child_processes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "collectors/host_sampler/thread_clock.hpp"

namespace stepscope::host_sampler {

std::optional<std::size_t> children_of(pid_t tid, std::span<pid_t> pids) noexcept {
  std::array<char, 64> path{};
  std::array<char, 4096> text{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/children", tid);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  const ssize_t size = ::read(file, text.data(), text.size() - 1);
  close(file);
  if (size < 0) return std::nullopt;
  std::size_t count = 0;
  char* at = text.data();
  for (long pid = std::strtol(at, &at, 10); pid > 0 && count < pids.size();
       pid = std::strtol(at, &at, 10))
    pids[count++] = static_cast<pid_t>(pid);
  return count;
}

void read_child_clocks(pid_t tid, std::int64_t now_ns, ChildUseQueue& queue) noexcept {
  std::array<pid_t, 64> pids{};
  const std::size_t count = children_of(tid, pids).value_or(0);
  for (std::size_t i = 0; i < count; ++i)
    if (const std::uint64_t cpu = process_cpu_ns(pids[i]); cpu != 0)
      queue.put({now_ns, pids[i], static_cast<std::int64_t>(cpu)});
}

}  // namespace stepscope::host_sampler
