// SPDX-License-Identifier: Apache-2.0
// What a trace says about its process: command, host, rank, environment of rank and launcher,
// versions.
#pragma once

namespace stepscope::inject {

// Once for each session, so a forked child tells of itself. Called with the recorder's lock held:
// it must not wait for the loader (no dlsym), which may itself be waiting for us in another thread.
void record_process_facts() noexcept;

void record_python_version() noexcept;

}  // namespace stepscope::inject
