// SPDX-License-Identifier: Apache-2.0
// A run whose launcher was killed, too (the end that a batch system or the kernel gives a whole
// job), has its last records in live/ still.
#pragma once

#include <string>

namespace stepscope {

// Moves them into the run's files where their processes are gone, and says so on stderr. Does
// nothing for any other path, and leaves alone what may still run.
void recover_run(const std::string& path);

}  // namespace stepscope
