// SPDX-License-Identifier: Apache-2.0
// The facts that a trace holds about its process: command, host, rank, environment of rank and
// launcher, versions.
#pragma once

namespace stepscope::inject {

// Called once a session, so that a forked child records its own facts. The recorder's lock is held:
// this must not wait for the loader (no dlsym), which may itself be waiting for us in another
// thread.
void record_process_facts() noexcept;

void record_python_version() noexcept;

}  // namespace stepscope::inject
