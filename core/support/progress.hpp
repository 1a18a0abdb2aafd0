// SPDX-License-Identifier: Apache-2.0
// Progress of long work, reported upwards as plain numbers; who shows it (a bar on stderr, a
// window) decides how. Called from the working thread, at most about every 64 KiB of input.
#pragma once

#include <cstdint>
#include <functional>

namespace stepscope {

// done and total in the same unit (bytes, events); total 0 where it is not known.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

inline void report_progress(const Progress& progress, std::uint64_t done, std::uint64_t total) {
  if (progress) progress(done, total);
}

}  // namespace stepscope
