// SPDX-License-Identifier: Apache-2.0
// The state of a thread at the moment of a sample: two of the bits of Samples::flags. 0: unknown
// (older traces, and workers).
//
// Such a sample is taken at any moment, also while the thread records, so it describes that moment
// and not the time behind it. A thread that sleeps on has no further rows until it wakes; then the
// last moment at which it was seen asleep has a row, too.
#pragma once

#include <cstdint>

namespace stepscope {

enum SampleState : std::uint8_t {
  kSampleRan = 32,    // it had a core
  kSampleWaits = 64,  // it was ready to run and waited for a core
  kSampleSlept = 96,
  kSampleStateMask = 96,  // mask
};

// Set with kSampleSlept for a thread that is no worker of a DataLoader: it slept in a call that
// writes, or that reads a file. In a worker's row the same bit says that it made a batch.
inline constexpr std::uint8_t kSampleInFile = 8;

}  // namespace stepscope
