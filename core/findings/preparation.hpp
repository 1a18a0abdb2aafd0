// SPDX-License-Identifier: Apache-2.0
// Host time that passes while data for the device is made, with the device idle: between the call
// before an upload and the upload itself, in the upload's own phase.
#pragma once

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

struct Preparing {
  std::size_t segment;  // segment of the process's partition, owned by the host
  std::int64_t ns;      // its time in a counted step
  std::size_t upload;   // row of JudgedRun::calls.uploads
};

// Returns the preparations of the uploads that `chosen` names, in time order.
std::vector<Preparing> preparing(const JudgedRun& run, const std::vector<bool>& chosen);

// Returns, by row of JudgedRun::calls.uploads, whether it is one of many copies of at most
// kTinyBytes that a line makes in a step.
inline constexpr std::uint64_t kTinyBytes = 4096;
inline constexpr double kManyTiny = 8;
std::vector<bool> tiny_uploads(const JudgedRun& run);

}  // namespace stepscope::rules
