// SPDX-License-Identifier: Apache-2.0
#include "core/support/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace stepscope {
namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// "max", which is no number, is no limit.
std::uint64_t number_in(const fs::path& file) {
  std::uint64_t number = 0;
  return std::ifstream(file) >> number ? number : kNoLimit;
}

std::uint64_t least_up_to(const fs::path& root, const fs::path& group, const char* file) {
  std::uint64_t least = number_in(root / file);
  fs::path folder = root;
  for (const fs::path& part : group.relative_path()) {
    folder /= part;
    least = std::min(least, number_in(folder / file));
  }
  return least;
}

std::string text_of(const char* file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

std::uint64_t pages(std::int64_t count) {
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

std::uint64_t address_space_bytes() {
  rlimit space{};
  const bool limited = getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
  return limited ? std::uint64_t{space.rlim_cur} : kNoLimit;
}

struct Held {
  std::uint64_t mapped = 0, resident = 0;
};

Held held_now() {
  std::int64_t mapped = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> mapped >> resident;
  return {pages(mapped), pages(resident)};
}

}  // namespace

// A line is NUMBER:CONTROLLERS:PATH; version 2 has one without controllers.
std::uint64_t group_limit_bytes(const fs::path& root, std::string_view groups) {
  std::uint64_t least = kNoLimit;
  std::istringstream lines{std::string(groups)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, least_up_to(root, group, "memory.max"));
    if (controllers.find("memory") != std::string::npos)
      least = std::min(least, least_up_to(root / "memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

std::uint64_t memory_limit_bytes() {
  std::uint64_t least = std::min(pages(sysconf(_SC_PHYS_PAGES)), address_space_bytes());
  return std::min(least, group_limit_bytes("/sys/fs/cgroup", text_of("/proc/self/cgroup")));
}

std::uint64_t resident_bytes() {
  return held_now().resident;
}

std::uint64_t memory_left_bytes() {
  static const std::uint64_t limit = memory_limit_bytes();
  const Held held = held_now();
  const std::uint64_t space = address_space_bytes();
  return std::min({limit - std::min(limit, held.resident), space - std::min(space, held.mapped),
                   available_bytes(text_of("/proc/meminfo"))});
}

// A line is "MemAvailable:   12345 kB".
std::uint64_t available_bytes(std::string_view meminfo) {
  constexpr std::string_view kName = "MemAvailable:";
  const std::size_t at = meminfo.find(kName);
  if (at == std::string_view::npos) return kNoLimit;
  std::uint64_t kilobytes = 0;
  return std::istringstream(std::string(meminfo.substr(at + kName.size()))) >> kilobytes
             ? kilobytes << 10U
             : kNoLimit;
}

}  // namespace stepscope
