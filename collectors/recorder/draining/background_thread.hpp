// SPDX-License-Identifier: Apache-2.0
// Threads of ours in the profiled program: detached, with every signal blocked, since the program's
// handlers must not run on a thread that it does not know of.
#pragma once

namespace stepscope::recorder {

// False: no thread.
bool start_background_thread(void* (*body)(void*), void* argument) noexcept;

// Called by the thread itself: sets its name (15 characters at most) and a low priority.
void become_background_thread(const char* name) noexcept;

}  // namespace stepscope::recorder
