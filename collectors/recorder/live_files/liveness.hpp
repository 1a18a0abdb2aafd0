// SPDX-License-Identifier: Apache-2.0
// Whether the process of a session still runs. A pid shows it only to processes of the same pid
// namespace and machine. So a process locks its session file (flock) and maps it: the mapping keeps
// the lock until the process ends or calls exec, whatever descriptors it closes meanwhile. A forked
// child lets go with the mapping.
//
// Some file systems give no such lock (overlayfs gives it up with the descriptor); the session says
// so, and there the pid must do, where it means something.
#pragma once

#include <cstdint>
#include <string>

#include "collectors/recorder/live_files/shared_layout.hpp"

namespace stepscope::recorder {

// Returns where this process runs; zeros for what is not known.
ProcessHome process_home() noexcept;

// Called by the process that records, before it maps the file ...
void lock_session(int fd) noexcept;
// ... and behind that, with its descriptor closed: does the mapping hold the lock?
bool mapping_holds_lock(const char* session_path) noexcept;

// quick: without touching a live process's memory map.
enum class Depth { quick, full };
// Called by another process, with the file open; false only where the session's process surely runs
// no more. The answer "no" keeps the lock with `fd`, so that nobody else takes the session for
// dead, too.
bool is_running(const SessionHeader& session, int fd, const std::string& session_file, Depth depth);

}  // namespace stepscope::recorder
