// SPDX-License-Identifier: Apache-2.0
// The thread that empties the rings of its own process into the store file: every flush interval it
// looks, and it writes when a ring is a quarter full or a second has passed (larger chunks are
// smaller files, and what is in a ring survives the process anyway).
#pragma once

namespace stepscope::recorder {

// Starts the thread, with process.lock held. False: no thread.
bool start_writer_thread() noexcept;

// Threads of ours in the profiled program: detached, with every signal blocked, since the program's
// handlers must not run on a thread that it does not know of.

// False: no thread.
bool start_background_thread(void* (*body)(void*), void* argument) noexcept;

// Called by the thread itself: sets its name (15 characters at most) and a low priority.
void become_background_thread(const char* name) noexcept;

}  // namespace stepscope::recorder
