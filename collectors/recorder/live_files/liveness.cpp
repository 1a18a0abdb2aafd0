// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/live_files/liveness.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace stepscope::recorder {
namespace {

// Z or X: dead, and not yet waited for.
bool is_zombie(std::int64_t pid) {
  FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "re");
  if (file == nullptr) return errno == ENOENT;
  std::array<char, 1024> text{};
  const std::size_t bytes = std::fread(text.data(), 1, text.size() - 1, file);
  std::fclose(file);
  const std::string_view stat(text.data(), bytes);
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string_view::npos && name_end + 2 < stat.size() &&
         (stat[name_end + 2] == 'Z' || stat[name_end + 2] == 'X');
}

// A pid alone says little (reused, or through exec): the process that recorded maps its session.
bool is_alive(std::int64_t pid, const std::string& session_file, Depth depth) {
  if (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return false;
  if (is_zombie(pid)) return false;
  if (depth == Depth::quick) return true;
  FILE* maps = std::fopen(("/proc/" + std::to_string(pid) + "/maps").c_str(), "re");
  if (maps == nullptr) return errno != ENOENT;
  std::string line(8192, '\0');
  bool found = false;
  while (!found && std::fgets(line.data(), static_cast<int>(line.size()), maps) != nullptr) {
    found = std::strstr(line.c_str(), session_file.c_str()) != nullptr;
  }
  std::fclose(maps);
  return found;
}

}  // namespace

ProcessHome process_home() noexcept {
  ProcessHome home{};
  gethostname(home.host.data(), home.host.size() - 1);
  const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    if (read(fd, home.boot.data(), home.boot.size() - 1) <= 0) home.boot = {};
    close(fd);
  }
  struct stat file {};
  if (stat("/proc/self/ns/pid", &file) == 0) home.pid_namespace = file.st_ino;
  return home;
}

void lock_session(int fd) noexcept {
  (void)flock(fd, LOCK_EX | LOCK_NB);
}

bool mapping_holds_lock(const char* session_path) noexcept {
  const int fd = open(session_path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  const bool held = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return held;
}

bool is_running(const SessionHeader& session, int fd, const std::string& session_file,
                Depth depth) {
  const ProcessHome here = process_home();
  const ProcessHome& there = session.home;
  const bool same_boot = here.boot == there.boot && here.boot[0] != '\0';
  const bool rebooted = !same_boot && here.host == there.host && there.boot[0] != '\0';
  // Another machine: its locks may be its own.
  if (!same_boot && !rebooted) return true;
  if (rebooted) return false;
  const bool same_pids = here.pid_namespace == there.pid_namespace;
  if (session.mapping_holds_lock != 0) {
    // A driver may keep a dead process's memory for a moment.
    const bool gone = same_pids && kill(static_cast<pid_t>(session.pid), 0) != 0 && errno == ESRCH;
    return flock(fd, LOCK_EX | LOCK_NB) != 0 && !gone;
  }
  return !same_pids || is_alive(session.pid, session_file, depth);
}

}  // namespace stepscope::recorder
