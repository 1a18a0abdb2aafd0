// SPDX-License-Identifier: Apache-2.0
// The thread that empties the rings of its own process into the store file: every flush interval it
// looks, and it writes when a ring is a quarter full or a second has passed (larger chunks are
// smaller files, and what is in a ring survives the process anyway).
#pragma once

namespace stepscope::recorder {

// Starts the thread, with process.lock held. False: no thread.
bool start_writer_thread() noexcept;

}  // namespace stepscope::recorder
